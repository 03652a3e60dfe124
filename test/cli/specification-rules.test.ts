import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { playtest, type RunOptions, testFolder } from "../helpers/cli.ts";
import { openWallet } from "../helpers/crypto.ts";
import { createGame, registerOwner } from "../helpers/factories.ts";
import { type HostedWorld, runHosted, startHostedWorld } from "../helpers/hosted-world.ts";
import { newId } from "../helpers/walk.ts";

/** What the command may and may not do where a server does only what the specification says. */

const cli = ({ hosted, owner }: HostedWorld, words: readonly string[], more: RunOptions = {}) =>
  playtest(words, {
    baseUrl: hosted.baseUrl,
    key: owner.key,
    ...more,
    env: { NO_COLOR: "1", ...more.env },
    outside: { newId, ...more.outside },
  });
const changes = ({ hosted }: HostedWorld) =>
  hosted.seen.filter(({ method, path }) => method !== "GET" && path !== "/playtests/quote");

/** Of an owner without credit. */
async function poorWorld(): Promise<HostedWorld> {
  const world = await startHostedWorld();
  const owner = await registerOwner(world.server);
  return { ...world, owner, gameId: await createGame(owner) };
}

/** The hash of a transaction on the sandbox chain that pays so many cents. */
async function transactionFor({ server, owner }: HostedWorld, cents: number): Promise<string> {
  const wallet = await openWallet(server, owner);
  return wallet.send(await wallet.ask(cents));
}

/** Loses every reply to a change after the change was made. */
function loseReplies(world: HostedWorld, times = Number.POSITIVE_INFINITY) {
  let left = times;
  world.hosted.hooks.interfere = ({ method }, { status = 200 }) =>
    method !== "GET" && status < 300 && left-- > 0 ? { lose: true } : undefined;
}

describe("a change whose reply was lost", () => {
  it.each([
    ["review accept", /`playtest review show [\w-]+`/],
    ["review reject", /`playtest review show [\w-]+`/],
    ["applications approve", /`playtest applications list PLAYTEST`\. PLAYTEST is the id of the playtest that was applied to\./],
    ["games update", /`playtest games show [\w-]+`/],
    ["playtests update", /`playtest playtests show [\w-]+`/],
    ["billing credit add", /`playtest billing payments list`/],
    ["billing subscription cancel", /`playtest billing subscription show`/],
    ["chat send", /`playtest chat list`/],
    [
      "webhooks create",
      /`playtest webhooks list`. If it is listed, delete it with `playtest webhooks delete ID` and create it again/,
    ],
    ["notifications read-all", /`playtest notifications list --unread`/],
    ["auth register", /`playtest login`/],
  ])("%s is not sent again: 12, and how to check it", async (path, check) => {
    const world = await startHostedWorld();
    loseReplies(world);
    const { code, stdout, stderr } = await runHosted(world, path);
    expect([code, stdout, changes(world).length]).toEqual([12, "", 1]);
    expect(stderr).toContain("may or may not have taken effect");
    expect(stderr.replaceAll("\n", " ")).toMatch(check);
    expect(stderr).not.toContain("--idempotency-key");
  });

  it.each([
    ["games create", "games"],
    ["playtests order", "playtests"],
  ] as const)("%s is sent again with its key, and made once", async (path, list) => {
    const world = await startHostedWorld();
    const made = async () =>
      list === "games"
        ? (await world.owner.listGames()).games
        : (await world.owner.listPlaytests({ params: { gameId: world.gameId } })).playtests;
    const before = (await made()).length;
    loseReplies(world, 1);
    const { code } = await runHosted(world, path);
    const keys = changes(world).map(({ headers }) => headers["idempotency-key"]);
    expect([code, keys.length, new Set(keys).size]).toEqual([0, 2, 1]);
    expect((await made()).length - before).toBe(1);
  });

  it.each([
    ["a gateway's 502", { status: 502, raw: "<h1>Bad gateway</h1>", headers: { "content-type": "text/html" } }, 12],
    ["a gateway's 504", { status: 504, raw: "" }, 12],
    ["the API's 500", { status: 500, raw: '{"error":{"code":"INTERNAL_ERROR","message":"Sorry"}}' }, 1],
  ])("after %s it is not sent again", async (_, reply, expected) => {
    const world = await startHostedWorld();
    world.hosted.hooks.refuse = ({ method }) => (method === "GET" ? undefined : reply);
    const { code } = await runHosted(world, "review accept");
    expect([code, changes(world).length]).toEqual([expected, 1]);
  });

  it.each([
    ["429", { status: 429, headers: { "retry-after": "1" }, raw: '{"error":{"code":"RATE_LIMITED","message":"Slow"}}' }],
    ["the API's 503", { status: 503, raw: '{"error":{"code":"SERVICE_UNAVAILABLE","message":"Later"}}' }],
  ])("after %s it is sent again, because nothing was done", async (_, reply) => {
    const world = await startHostedWorld();
    let left = 1;
    const slot = await world.submitted();
    world.hosted.hooks.refuse = ({ method }) => (method === "GET" || left-- <= 0 ? undefined : reply);
    const { code } = await cli(world, ["review", "accept", slot]);
    expect([code, changes(world).length]).toEqual([0, 2]);
  });
});

describe("how an order is paid", () => {
  it.each(["card", "hours", "credit"])("--pay %s is refused before anything is sent", async (method) => {
    const world = await startHostedWorld();
    const { code, stdout, stderr } = await cli(world, ["order", world.gameId, "--pay", method, "--yes"]);
    expect([code, stdout, changes(world)]).toEqual([3, "", []]);
    expect(stderr.replaceAll("\n", " ")).toContain(`does not let an order choose to be paid with ${method}`);
  });

  it.each(["games create --name Cave --build-url https://example.com/b.zip --languages en", "games update GAME --languages en"])(
    "%s is refused before anything is sent",
    async (line) => {
      const world = await startHostedWorld();
      const { code, stderr } = await cli(world, line.replace("GAME", world.gameId).split(" "));
      expect([code, changes(world)]).toEqual([3, []]);
      expect(stderr).toContain("does not store languages of games");
    },
  );

  it.each(["webhooks create https://hooks.example/b --format slack", "webhooks update WEBHOOK --format discord"])(
    "%s is refused before anything is sent",
    async (line) => {
      const world = await startHostedWorld();
      const { code, stderr } = await cli(world, line.replace("WEBHOOK", await world.webhook()).split(" "));
      expect([code, changes(world)]).toEqual([3, []]);
      expect(stderr).toMatch(/^error: This server does not format events for (slack|discord)\. Nothing was changed\.$/m);
    },
  );

  it("webhooks create --format standard asks for what every server sends", async () => {
    const world = await startHostedWorld();
    const words = ["webhooks", "create", world.receiver.url, "--format", "standard"];
    expect([(await cli(world, words)).code, changes(world).length]).toEqual([0, 1]);
  });

  it("chat block, which the server lacks, does not advise to start a conversation", async () => {
    const { code, stderr } = await runHosted(await startHostedWorld(), "chat block");
    expect([code, stderr]).toEqual([3, expect.stringContaining("\nUse its website.\n")]);
  });

  it("bulk --pay credit is refused before anything is sent", async () => {
    const world = await startHostedWorld();
    const cwd = testFolder();
    writeFileSync(join(cwd, "orders.csv"), `game\n${world.gameId}\n`);
    const { code } = await cli(world, ["bulk", "orders.csv", "--pay", "credit", "--yes"], { cwd });
    expect([code, changes(world)]).toEqual([3, []]);
  });

  it("--pay x402 sends only what is specified", async () => {
    const world = await poorWorld();
    const asked = await cli(world, ["order", world.gameId, "--pay", "x402", "--yes"]);
    expect([asked.code, asked.stdout]).toEqual([7, expect.stringMatching(/\b20\.\d+ USDC/)]);
    const tx = await transactionFor(world, 2000);
    const paid = await cli(world, ["order", world.gameId, "--pay", "x402", "--tx", tx, "--yes"]);
    expect([paid.code, world.hosted.beyond]).toEqual([0, []]);
  });

  it("a server that does not say how is not reported as free", async () => {
    const world = await startHostedWorld();
    world.hosted.hooks.interfere = ({ method }, answer) =>
      method === "POST" && answer.data
        ? { ...answer, data: { playtest: (answer.data as { playtest: object }).playtest } }
        : undefined;
    const { stdout } = await cli(world, ["order", world.gameId, "--yes"]);
    expect(stdout).toMatch(/paid with\tnot reported\n/);
    const { stdout: free } = await cli(world, ["order", world.gameId, "--visibility", "public", "--yes"]);
    expect(free).toMatch(/paid with\tfree\n/);
  });

  it("a server that does not say whom it is offered to is not reported as offering it to everyone", async () => {
    const world = await startHostedWorld();
    const playtest = { id: "pt_1", gameId: world.gameId, status: "active", quantity: 1, costPerSlotCents: 2000 };
    world.hosted.hooks.interfere = ({ method }, { status = 200 }) =>
      method === "POST" && status < 300 ? { status, data: { playtest } } : undefined;
    const { stdout } = await cli(world, ["order", world.gameId, "--yes"]);
    expect(stdout).toMatch(/price per slot\t\$20\.00\n/);
    expect(stdout).toMatch(/offered to\t\n/);
  });

  it("an order left unpaid names no command that this server lacks", async () => {
    const world = await poorWorld();
    const { code, stderr } = await cli(world, ["order", world.gameId, "--yes", "--allow-pending"]);
    expect([code, stderr]).toEqual([0, expect.stringContaining("Pay on the server's website.")]);
    expect(stderr).not.toMatch(/playtests pay|24 hours/);
  });
});

it("a transcript that a slot lacks is not reported as a slot that does not exist", async () => {
  const world = await startHostedWorld();
  const { slots } = await world.owner.listSlots({ params: { id: await world.order() } });
  const raw = '{"error":{"code":"NOT_FOUND","message":"Not found"}}';
  world.hosted.hooks.refuse = ({ path }) => (path.endsWith("/transcript") ? { status: 404, raw } : undefined);
  const { code, stderr } = await cli(world, ["review", "transcript", slots[0]!.id]);
  expect([code, stderr]).toEqual([3, expect.stringContaining("error: Not found\n<slot>: slot id.")]);
});

describe("prices", () => {
  /** Earlier orders cost less. */
  const raised = (world: HostedWorld) => {
    world.hosted.hooks.interfere = ({ method, path }, answer) => {
      if (method !== "GET" || !path.endsWith("/playtests")) return undefined;
      const { playtests } = answer.data as { playtests: object[] };
      return {
        ...answer,
        data: { ...(answer.data as object), playtests: playtests.map((one) => ({ ...one, costPerSlotCents: 1500 })) },
      };
    };
  };

  it.each([
    [["--max-cost", "16"], "which is more than --max-cost $16.00"],
    [["--yes"], "which is more than $15.00, the price by an earlier order"],
    [["--max-cost", "20"], "which is more than $15.00, the price by an earlier order"],
  ])("order %s warns when the order costs more than expected", async (flags, said) => {
    const world = await startHostedWorld();
    raised(world);
    const { code, stderr } = await cli(world, ["order", world.gameId, ...flags]);
    expect([code, stderr.replaceAll("\n", " ")]).toEqual([0, expect.stringContaining("was placed and costs $20.00")]);
    expect(stderr.replaceAll("\n", " ")).toContain(said);
  });

  it("bulk counts what the orders cost, and stops at --max-cost", async () => {
    const world = await startHostedWorld();
    raised(world);
    const cwd = testFolder();
    writeFileSync(join(cwd, "orders.csv"), `game\n${world.gameId}\n${world.gameId}\n${world.gameId}\n`);
    const words = ["bulk", "orders.csv", "--max-cost", "45", "--concurrency", "1"];
    const { code, stderr } = await cli(world, words, { cwd });
    expect([code, changes(world).length]).toEqual([7, 2]);
    expect(stderr).toContain("Line 2 was ordered and costs $20.00, which is more than the $15.00 that were expected.");
    expect(stderr).toContain("2 playtests ordered for $40.00");
  });

  it("bulk warns when an order made all of them cost more than --max-cost", async () => {
    const world = await startHostedWorld();
    raised(world);
    const cwd = testFolder();
    writeFileSync(join(cwd, "orders.csv"), `game\n${world.gameId}\n`);
    const { stderr } = await cli(world, ["bulk", "orders.csv", "--max-cost", "16"], { cwd });
    expect(stderr).toContain("The orders so far cost $20.00, which is more than --max-cost $16.00.");
  });

  it("an unknown price is never invented", async () => {
    const world = await startHostedWorld();
    const words = ["order", world.gameId, "--duration-minutes", "180"];
    const limited = await cli(world, [...words, "--max-cost", "100"]);
    expect([limited.code, limited.stderr, changes(world)]).toEqual([7, expect.stringContaining("--max-cost cannot be kept"), []]);
    const { code, stdout } = await cli(world, [...words, "--yes"]);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/price per slot\t\$\d+\.00\n/)]);
    const quote = await cli(world, ["playtests", "quote", world.gameId, "--duration-minutes", "120"]);
    expect(quote.stdout).toMatch(/^total\t\n/);
  });
});

describe("what a server has is remembered", () => {
  it.each([
    ["order GAME --yes", ["POST /playtests/quote", "GET /info/server"]],
    ["status", ["GET /inbox", "GET /info/server"]],
  ])("the second `playtest %s` asks for nothing that is not there, and the next day's asks again", async (line, all) => {
    const world = await startHostedWorld();
    const env = { PLAYTEST_CONFIG_DIR: testFolder() };
    const run = async (now: number) => {
      world.hosted.unknown.length = 0;
      expect((await cli(world, line.replace("GAME", world.gameId).split(" "), { env, now })).code).toBe(0);
      return [...world.hosted.unknown];
    };
    const start = Date.parse("2026-03-01T12:00:00Z");
    expect(await run(start)).toEqual(all);
    expect(await run(start + 60_000)).toEqual([]);
    expect(await run(start + 25 * 3_600_000)).toEqual(all);
  });
});

describe("crypto instructions", () => {
  const asset = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";
  it.each([
    ["no header", undefined, null],
    ["a header that is not JSON", "eyJ4IjoxfQ==", null],
    ["no asset", { maxAmountRequired: "20000000" }, null],
    ["no amount", { asset }, null],
    ["another amount than the one shown", { asset, maxAmountRequired: "200000000" }, null],
    ["an asset that is no address", { asset: "x&value=1", maxAmountRequired: "20000000" }, null],
    ["all", { asset, maxAmountRequired: "20000000" }, `ethereum:${asset}@8453/transfer?address=RECEIVER&uint256=20000000`],
  ])("with %s", async (_, header, uri) => {
    const world = await startHostedWorld();
    world.hosted.hooks.interfere = (_asked, { status, raw, headers = {} }) => {
      if (status !== 402) return undefined;
      const { "x-payment": __, ...others } = headers;
      const text = typeof header === "string" ? header : JSON.stringify(header);
      const rounded = String(raw).replace(/"cryptoAmount":"20\.\d+"/, '"cryptoAmount":"20.00"');
      return { status: status!, raw: rounded, headers: { ...others, ...(header !== undefined && { "x-payment": text }) } };
    };
    const { code, stdout, stderr } = await cli(world, ["billing", "credit", "x402", "--amount", "20", "--qr", "--json"]);
    const { result } = JSON.parse(stdout);
    expect([code, result.uri?.replace(result.payment.receiver, "RECEIVER") ?? null]).toEqual([0, uri]);
    // What is entered by hand is there either way.
    const entered = { cryptoAmount: expect.any(String), receiver: expect.stringMatching(/^0x\w{40}$/) };
    expect(result.payment).toMatchObject({ chain: "base", currency: "USDC", ...entered });
    expect(stderr.includes("too incomplete for a wallet link. Enter the payment in your wallet.")).toBe(uri === null);
    expect(stderr.includes("█")).toBe(uri !== null);
  });

  it("--from, which only some servers take, is refused", async () => {
    const world = await startHostedWorld();
    const { code, stderr } = await cli(world, ["billing", "credit", "x402", "--amount", "20", "--from", asset]);
    const said = "This server does not take --from: it cannot tie a payment to an address. Nothing was requested.";
    expect([code, stderr, changes(world)]).toEqual([2, expect.stringContaining(said), []]);
  });

  it("a link that is too long for a QR code is printed instead", async () => {
    const world = await startHostedWorld();
    const payment = { chain: "solana", currency: "SOL", network: "solana:mainnet", receiver: "5".repeat(44) };
    const cryptoAmount = `20.${"0".repeat(500)}`;
    world.hosted.hooks.interfere = (_asked, { status, raw, headers }) => {
      if (status !== 402) return undefined;
      const body = JSON.parse(String(raw));
      Object.assign(body.error.payment, { ...payment, cryptoAmount });
      return { status: status!, raw: JSON.stringify(body), headers: headers! };
    };
    const words = ["billing", "credit", "x402", "--amount", "20", "--qr", "--json"];
    const { stdout, stderr } = await cli(world, words);
    expect(stderr).toContain("warning: The payment link does not fit into a QR code. Use the wallet link instead.");
    const uri = `solana:${payment.receiver}?amount=${cryptoAmount}`;
    expect([stderr.includes("█"), JSON.parse(stdout).result.uri]).toEqual([false, uri]);
  });

  it("credit that was added is reported although the balance cannot be read", async () => {
    const world = await startHostedWorld();
    expect((await cli(world, ["billing", "credit", "x402", "--amount", "20"])).code).toBe(0);
    const tx = await transactionFor(world, 2000);
    world.hosted.hooks.interfere = ({ path }) => (path === "/billing/balance" ? { raw: "{}" } : undefined);
    const { code, stdout } = await cli(world, ["billing", "credit", "x402", "--tx", tx]);
    expect([code, stdout, world.hosted.beyond]).toEqual([0, "Added $20.00.\n", []]);
  });
});

describe("a workflow of ci init for a server that hosts no builds", () => {
  it("pushes and orders where its own upload command prints the URL", async () => {
    const world = await startHostedWorld();
    const cwd = testFolder();
    writeFileSync(join(cwd, "build.zip"), "build");
    writeFileSync(join(cwd, "upload.sh"), `#!/bin/sh\ntest -s "$1" && echo ${world.receiver.url}/build.zip\n`, {
      mode: 0o700,
    });
    for (const words of ["init", "add .", "-c user.name=Ada -c user.email=ada@example.com commit -m Build"])
      execFileSync("git", words.split(" "), { cwd, stdio: "ignore" });
    const words = ["ci", "init", "github", world.gameId, "--build", "build.zip", "--upload-cmd", "./upload.sh {file}", "--print"];
    const { stdout } = await cli(world, words, { cwd });
    const [, quantity, line] = /echo "(quantity: \d+)" \| playtest (games push .+)/.exec(stdout)!;
    expect(line).toContain(" --upload-cmd './upload.sh {file}' ");
    const pushed = [...line!.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain!);
    const ran = await cli(world, pushed, { cwd, stdin: `${quantity}\n` });
    expect([ran.code, ran.stdout]).toEqual([0, expect.stringContaining("Pushed 5 B")]);
    expect(ran.stdout).toMatch(/Ordered [\w-]+/);
  });
});
