import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { outside } from "../../src/cli/outside.ts";
import { tree } from "../../src/cli/tree.ts";
import { checkout, shellPath, startDemo } from "../helpers/checkout.ts";
import { playtest } from "../helpers/cli.ts";
import { commandBlocks, documents as texts } from "../helpers/documents.ts";
import { exampleWords, flagWords, spelledOut } from "../helpers/lines.ts";
import { createDatabase, type Database, dropDatabase } from "../helpers/postgres-server.ts";
import { killLeftovers } from "../helpers/process.ts";
import { type Receiver, startReceiver } from "../helpers/receiver.ts";
import type { Reply } from "../helpers/server.ts";

/**
 * The commands in the README and in the help topics: each is run against a real server, and succeeds. Those that need a shell, and
 * servers, run as processes; the others in this process, which takes a fraction of the time.
 */

const examples = join(import.meta.dirname, "../examples");
const sample = join(import.meta.dirname, "../../server/sandbox/sample.mp4");
const run = promisify(execFile);

let server: Awaited<ReturnType<typeof startDemo>>;
let receiver: Receiver;
let databases: Database[];
let folder: string;
/** Key of the playtester that the commands of a document are run by. */
let tester: string;

beforeAll(async () => {
  server = await startDemo();
  receiver = await startReceiver();
  databases = [await createDatabase(inject("postgresUrl")), await createDatabase(inject("postgresUrl"))];
});
afterAll(async () => {
  await killLeftovers();
  await receiver.close();
  for (const { name } of databases) await dropDatabase(inject("postgresUrl"), name);
});

/** The data of a reply, or its error. */
async function disputedPayment(): Promise<string> {
  const { paymentId } = await call("POST", "/billing/credit", { amountCents: 2000 });
  await call("POST", `/sandbox/payments/${paymentId}/complete`, { outcome: "paid" });
  await call("POST", `/admin/payments/${paymentId}/chargeback`, {}, server.adminKey!);
  return paymentId;
}

/** A payment that arrived after its order had been cancelled. */
async function flaggedPayment(): Promise<string> {
  const id = await unpaidPlaytest();
  const { payments } = await call("GET", "/billing/payments");
  await call("POST", `/playtests/${id}/cancel`);
  await call("POST", `/sandbox/payments/${payments[0].id}/complete`, { outcome: "paid" });
  return payments[0].id;
}

async function call(method: string, path: string, body?: object, key = server.ownerKey!): Promise<Reply["body"]> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const reply = await fetch(`${server.baseUrl}/api/v1${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  const { data, error } = (await reply.json()) as Reply["body"];
  if (error && reply.status !== 402) throw new Error(`${method} ${path}: ${error.message}`);
  return data ?? error;
}

const order = async (body: object = {}) =>
  (await call("POST", `/games/${server.gameId}/playtests`, { durationMinutes: 30, ...body })).playtest.id as string;
const slotOf = async (playtest: string) => (await call("GET", `/playtests/${playtest}/slots`)).slots[0].id as string;
const openSlot = async () => slotOf(await order());
async function submittedSlot(): Promise<string> {
  const slot = await openSlot();
  await call("POST", `/sandbox/slots/${slot}/play`, {});
  return slot;
}
async function acceptedSlot(): Promise<string> {
  const slot = await submittedSlot();
  await call("POST", `/slots/${slot}/accept`, {});
  return slot;
}
const reservedSlot = async () =>
  (await call("POST", `/playtester/playtests/${await order()}/claim`, {}, tester)).slot.id as string;
async function blockedSlot(): Promise<string> {
  const slot = await reservedSlot();
  await call("POST", `/playtester/slots/${slot}/report`, { reasonCode: "crash" }, tester);
  return slot;
}
async function publishedSlot(): Promise<string> {
  const playtest = await order({ visibility: "public" });
  const { slot } = await call("POST", `/playtester/playtests/${playtest}/claim`, {}, tester);
  await call("POST", `/sandbox/slots/${slot.id}/play`, {});
  await call("POST", `/slots/${slot.id}/accept`, {});
  return slot.id;
}
/** With three applications, so that one can be approved and others rejected. */
async function manualPlaytest(): Promise<string> {
  const playtest = await order({ selectionMode: "manual", quantity: 2 });
  for (const key of server.testerKeys!) await call("POST", `/playtester/playtests/${playtest}/applications`, {}, key);
  return playtest;
}
async function unpaidPlaytest(): Promise<string> {
  const headers = { authorization: `Bearer ${server.ownerKey}`, "content-type": "application/json", "x-payment-method": "card" };
  const reply = await fetch(`${server.baseUrl}/api/v1/games/${server.gameId}/playtests`, { method: "POST", headers, body: "{}" });
  return ((await reply.json()) as Reply["body"]).data.playtest.id;
}
async function contact(): Promise<string> {
  await acceptedSlot();
  const { contacts } = await call("GET", "/chat/contacts");
  return contacts.find((one: { isUnlocked: boolean }) => one.isUnlocked).id;
}
const toCryptoCredit = () => ({
  url: `${server.baseUrl}/api/v1/billing/credit/x402`,
  headers: { authorization: `Bearer ${server.ownerKey}`, "content-type": "application/json" },
});
/** What a payment in crypto is to be: its id, amount and receiver. */
async function instructions(): Promise<{ id: string; receiver: string; cryptoAmount: string }> {
  const { url, headers } = toCryptoCredit();
  const ask = { "x-payment-method": "x402", "x-payment-chain": "base", "x-payment-currency": "USDC" };
  const asked = await fetch(url, {
    method: "POST",
    headers: { ...headers, ...ask },
    body: JSON.stringify({ amountCents: 2000 }),
  });
  return ((await asked.json()) as Reply["body"]).error.payment;
}
/** A transfer in crypto that is too small. */
async function tooSmall(): Promise<string> {
  const { receiver: to, cryptoAmount } = await instructions();
  const amount = String(Math.round(Number(cryptoAmount) * 1e6) - 1_500_000);
  const from = `0x${"1".repeat(40)}`;
  return (await call("POST", "/sandbox/chain/transactions", { chain: "base", currency: "USDC", to, amount, from })).txHash;
}
/** The same, named and held. */
async function deposit(): Promise<string> {
  const { url, headers } = toCryptoCredit();
  const txHash = await tooSmall();
  const proof = JSON.stringify({ txHash, chain: "base", currency: "USDC" });
  await fetch(url, { method: "POST", headers: { ...headers, "x-payment": proof } });
  return (await call("GET", "/admin/suspense", undefined, server.adminKey!)).suspense[0].id;
}
async function mail(): Promise<string> {
  const email = `${crypto.randomUUID()}@example.com`;
  await register(email, "game_owner");
  await call("POST", "/auth/password-reset", { email });
  const { messages } = await call("GET", "/sandbox/outbox");
  return messages[0].id;
}
const webhook = async () => (await call("POST", "/webhooks", { url: receiver.url, events: ["*"] })).webhook.id as string;
/** A playtester whose submission was accepted. */
async function earn(email: string): Promise<void> {
  const [{ id: testerId }] = (await call("GET", `/admin/users?email=${email}`, undefined, server.adminKey!)).users;
  const slot = await slotOf(await order({ durationMinutes: 60 }));
  await call("POST", `/sandbox/slots/${slot}/play`, { testerId });
  await call("POST", `/slots/${slot}/accept`, {});
  // The owner has paid by card, so the earnings are held.
  await call("POST", "/sandbox/clock/advance", { seconds: 7 * 86_400 });
}
/** Returns the key of the new account. */
async function register(email: string, role: string): Promise<string> {
  const body = JSON.stringify({ email, password: "correct horse", role });
  const headers = { "content-type": "application/json" };
  const reply = await fetch(`${server.baseUrl}/api/v1/auth/register/api-key`, { method: "POST", headers, body });
  const { data, error } = (await reply.json()) as Reply["body"];
  if (error) throw new Error(`could not register ${email}: ${error.message}`);
  return data.apiKey;
}
/** A playtester who can be paid in this way. */
async function payable(method: "bank" | "paypal"): Promise<void> {
  const email = `${crypto.randomUUID()}@example.com`;
  const key = await register(email, "playtester");
  const bank = { method, holder: "Pim Vos", iban: "NL91ABNA0417164300", password: "correct horse" };
  const paypal = { method, email, password: "correct horse" };
  await call("POST", "/playtester/payout-details", method === "bank" ? bank : paypal, key);
  await earn(email);
}
/** A batch with one payout, and the file that says it was paid. */
async function payoutBatch(): Promise<{ batch: string; payout: string }> {
  await payable("bank");
  const { batch } = await call("POST", "/admin/payout-batches", { method: "bank" }, server.adminKey!);
  const { payouts } = await call("GET", `/admin/payouts?batch=${batch.id}`, undefined, server.adminKey!);
  writeFileSync(join(folder, "returned.csv"), `reference,status\n${payouts[0].reference},paid\n`);
  return { batch: batch.id, payout: payouts[0].id };
}

/** What stands in a command for an id, and how a fitting one is made; the first entry that matches the command is used. */
const makers: Record<string, readonly (readonly [RegExp, () => Promise<string>])[]> = {
  GAME: [[/./, async () => server.gameId!]],
  PLAYTEST: [
    [/ pay /, unpaidPlaytest],
    [/ applications /, manualPlaytest],
    [/tester apply/, () => order({ selectionMode: "manual" })],
    [
      /--until any-submitted|review download|review share/,
      async () => (await call("GET", `/slots/${await submittedSlot()}`)).slot.requestId,
    ],
    [/./, () => order()],
  ],
  SLOT: [
    [/ unblock|\/unblock|review cancel/, blockedSlot],
    [/cancel-slot|sandbox play/, openSlot],
    [/tester unpublish/, publishedSlot],
    [/ tester /, reservedSlot],
    [/./, submittedSlot],
  ],
  CONTACT: [[/./, contact]],
  DEPOSIT: [[/./, deposit]],
  HASH: [[/x402 prove/, tooSmall]],
  PAYMENT: [
    [/x402 prove/, async () => (await instructions()).id],
    [/disputes lift/, disputedPayment],
    [/flagged clear/, flaggedPayment],
    [/sandbox pay/, async () => (await call("POST", "/billing/credit", { amountCents: 2000 })).paymentId],
    [
      /./,
      async () =>
        (await call("GET", "/billing/payments")).payments.find((one: { status: string }) => one.status === "completed").id,
    ],
  ],
  WEBHOOK: [[/./, webhook]],
  ADMIN: [
    [/./, async () => (await call("POST", "/admin/admins", { name: "Ada", scopes: ["approve"] }, server.adminKey!)).admin.id],
  ],
  SHARE: [[/./, async () => (await call("POST", `/slots/${await submittedSlot()}/shares`, {})).share.id]],
  BATCH: [[/./, async () => (await payoutBatch()).batch]],
  PAYOUT: [[/./, async () => (await payoutBatch()).payout]],
  MAIL: [[/./, mail]],
};

/** Commands that cannot run here as they are, and what runs in their place: the same with an end, or without a person. */
const inPlace: readonly (readonly [RegExp, string])[] = [
  // A server runs until it is stopped: here until `true` ends.
  [/^(playtest serve run (?!.*--exec).*)$/, "$1 --port 0 --exec true"],
  [/^(playtest listen .*)$/, "$1 --from-start --count 1"],
  [/sudo tee \/etc\/(systemd\/system|nginx\/conf\.d)\//, "tee "],
  // The video is three seconds long.
  [/ (12:41|3:05-3:40) /, " 0:01 "],
  [/^(playtest tester submit .*)$/, "$1 --yes"],
  // Only a wallet can sign.
  [/ --signature SIGNATURE$/, ""],
  // Passwords are asked for on a terminal.
  [/^(playtest auth register .*)$/, "$1 --password-file password.txt -P new"],
  [/\/srv\//, "data/"],
  [/\/var\/backups\//, "data/backups/"],
  [/http:\/\/localhost:3000\/webhook/, "RECEIVER"],
  [/https:\/\/example\.com\/hook/, "RECEIVER"],
];

/** Commands that the suite runs elsewhere. */
const elsewhere: readonly (readonly [RegExp, string])[] = [
  [/^playtest serve migrate .*--to /, "test/faults/move.test.ts: the old database refuses changes afterwards"],
  [
    /^playtest serve run --data \S+ --database-url /,
    "test/faults/move.test.ts: it needs the database that the data was moved to",
  ],
  [/^playtest serve top /, "test/cli/top.test.ts: it needs a server with metrics"],
  [/^playtest serve run --data \S+ --backup-to /, "test/cli/own-backups.test.ts: it runs until it is stopped"],
  [/^playtest serve reset-factor /, "test/cli/reset-factor.test.ts: it needs an account with a second factor"],
  [/^npm (ci|test|run quickstart)$/, ".ci/run"],
  [/^npm (pack|install --global) ?/, "test/package installs the packed archive"],
  [/^export PLAYTEST_API_KEY=pt_sk_…$/, "the key is in the environment already"],
  [/^playtest studio/, "test/cli/studio.test.ts: it runs until it is stopped"],
  [/^playtest review next$/, "it needs a person: test/cli/readme.test.ts and test/cli/inbox.test.ts"],
  [/^playtest tester payout-details set/, "test/api/payout-details.test.ts: the playtesters of a sandbox have no password"],
  [/^playtest review (clip|still|share CLIP|note .* --still)/, "test/cli/clips.test.ts: it needs ffmpeg"],
  [/^playtest review reel/, "test/cli/clips.test.ts: it needs ffmpeg"],
  [/^playtest review transcript/, "test/cli/transcripts.test.ts: it needs a transcriber"],
];

const isElsewhere = (command: string) => elsewhere.some(([pattern]) => pattern.test(command));

async function filled(command: string): Promise<string> {
  let text = inPlace.reduce((line, [pattern, other]) => line.replace(pattern, other), command);
  text = text
    .replaceAll("RECEIVER", receiver.url)
    .replace("postgres://localhost/playtest", databases[/import/.test(text) ? 1 : 0]!.url);
  for (const [word, makersOf] of Object.entries(makers)) {
    const placeholder = new RegExp(`(?<![\\w$"{-])${word}\\b`);
    while (placeholder.test(text))
      text = text.replace(placeholder, await makersOf.find(([pattern]) => pattern.test(command))![1]());
  }
  return text;
}

/** A repository with everything that the commands read. */
async function prepare(document: string): Promise<void> {
  folder = checkout();
  tester = (await call("POST", "/sandbox/testers", { count: 1 })).testers[0].apiKey;
  const owner = (await call("GET", "/auth/me")).id;
  await call("POST", `/admin/users/${owner}/credit`, { amountCents: 100_000, note: "Enough." }, server.adminKey!);
  // The budget that another topic sets would run out in the same month.
  for (const { id } of (await call("GET", "/billing/budgets")).budgets) await call("DELETE", `/billing/budgets/${id}`);
  for (const name of ["order.yaml", "orders.csv", "week.test.mjs"]) copyFileSync(join(examples, name), join(folder, name));
  copyFileSync(sample, join(folder, "video.mp4"));
  mkdirSync(join(folder, "data/playtest"), { recursive: true });
  writeFileSync(join(folder, "keys.txt"), "AAAA-1\nBBBB-2\n");
  for (const name of ["team.csv", "testers.csv"]) writeFileSync(join(folder, name), "name,email\nGrace,grace@example.com\n");
  writeFileSync(join(folder, "body.json"), '{"event":"test.ping","timestamp":"2026-01-31T08:00:00Z","data":{}}');
  writeFileSync(join(folder, "password.txt"), "correct horse\n");
  writeFileSync(join(folder, "package.json"), JSON.stringify({ scripts: { test: "node --test" } }));
  if (document !== "server") return;
  // The commands of another topic may have created it.
  for (const [email, role] of [
    ["ada@example.com", "game_owner"],
    ["pim@example.com", "playtester"],
    ["mallory@example.com", "playtester"],
  ] as const)
    await register(email, role).catch(() => {});
}

const keyFor = (document: string, command: string) => {
  if (/^playtest (admin|auth email) /.test(command)) return server.adminKey!;
  return document === "playtesters" ? tester : server.ownerKey!;
};

/** Runs with this as the folder of the whole process, because commands open files by names relative to it. */
async function within<T>(cwd: string, work: () => Promise<T>): Promise<T> {
  const before = process.cwd();
  process.chdir(cwd);
  try {
    return await work();
  } finally {
    process.chdir(before);
  }
}

/** The words of a command of the program that a shell would only split. */
function plainWords(command: string): string[] | undefined {
  if (!/^playtest (?!serve run)[^|&;<>$`\\*?()#{}~\n]+$/.test(command) || /[^\s]["']\S/.test(command)) return undefined;
  return exampleWords(command).map((word) => word.replace(/^(["'])(.*)\1$/, "$2"));
}

const documents = [...new Set(commandBlocks.map(({ document }) => document))];

describe("commands in the documentation", () => {
  it.each(documents)("%s: every command succeeds", { timeout: 300_000 }, async (document) => {
    await prepare(document);
    const blocks = commandBlocks.filter((block) => block.document === document);
    const base = {
      PATH: shellPath(folder),
      HOME: folder,
      PLAYTEST_CONFIG_DIR: join(folder, "config"),
      PLAYTEST_BASE_URL: server.baseUrl,
    };
    const succeeds = async (command: string, key: string) => {
      const words = plainWords(command);
      if (!words) return shell(command, key);
      const { keyring: _, ...real } = outside;
      const ran = await within(folder, () =>
        playtest(words, { cwd: folder, env: { ...base, PLAYTEST_API_KEY: key }, outside: real }),
      );
      return ran.code === 0 ? "" : `${command}\n${ran.stdout}${ran.stderr}`;
    };
    const shell = (script: string, key: string) =>
      run("sh", ["-ec", script], { cwd: folder, env: { ...base, PLAYTEST_API_KEY: key } }).then(
        () => "",
        (error: Error & { stdout: string; stderr: string }) => `${script}\n${error.stdout}${error.stderr}`,
      );
    expect(await succeeds(`playtest games use ${server.gameId}`, server.ownerKey!)).toBe("");
    if (document === "backup") expect(await shell("playtest serve run --data data/playtest --port 0 --exec true", "")).toBe("");
    for (const { commands } of blocks)
      for (const command of commands) {
        if (isElsewhere(command)) continue;
        if (/payouts create --all/.test(command)) await payable(/paypal/.test(command) ? "paypal" : "bank");
        else if (/payouts create/.test(command)) await earn("pim@example.com");
        expect(await succeeds(await filled(command), keyFor(document, command))).toBe("");
      }
  });

  it("those run elsewhere are still there", () => {
    const all = commandBlocks.flatMap(({ commands }) => commands);
    expect([...inPlace, ...elsewhere].filter(([pattern]) => !all.some((command) => pattern.test(command))).map(String)).toEqual(
      [],
    );
  });
});

/** Commands named in the running text, such as `playtest review next`; those in capitals stand for any. */
const mentioned = [...texts].flatMap(([name, text]) =>
  [...text.matchAll(/`(playtest [a-z][^`]*)`/g)].map(([, command]) => ({ name, command: command! })),
);
const inBlocks = commandBlocks.flatMap(({ document, commands }) =>
  commands.filter((command) => /\bplaytest [a-z]/.test(command)).map((command) => ({ name: document, command })),
);

it("every command that is named exists, with its flags", async () => {
  const known = new Map(tree.commands.map(({ path, flags }) => [path.join(" "), flags]));
  const nouns = new Set(tree.commands.map(({ path }) => path[0]));
  const globals = (await playtest(["help", "flags"])).stdout;
  const wrong: string[] = [];
  for (const { name, command } of [...mentioned, ...inBlocks]) {
    const words = exampleWords(command);
    const spelled = spelledOut(words).split(" ");
    const path = [4, 3, 2, 1].map((count) => spelled.slice(0, count).join(" ")).find((one) => known.has(one));
    // A noun by itself has no flags.
    if (path === undefined && spelled.length === 1 && nouns.has(spelled[0]!)) continue;
    const own = known.get(path ?? "")?.flatMap(({ name: flag, short }) => [`--${flag}`, `-${short}`]);
    const unknown = flagWords(words).filter((flag) => !own?.includes(flag) && !globals.includes(flag));
    if (own === undefined || unknown.length > 0) wrong.push([name, command, ...unknown].join(": "));
  }
  expect(wrong).toEqual([]);
});
