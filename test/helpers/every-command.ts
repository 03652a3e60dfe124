import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ensureAdmin, mailVerification } from "../../server/accounts/service.ts";
import { find as findUser } from "../../server/accounts/users-store.ts";
import { openStore } from "../../server/database/open.ts";
import { MailRefused } from "../../server/mail/mailer.ts";
import { shortcuts as shortEntries } from "../../src/cli/groups.ts";
import { type TreeCommand, tree } from "../../src/cli/tree.ts";
import { contract, type Operation } from "../../src/contract/index.ts";
import { flagPayment } from "./billing.ts";
import { type RunOptions, testFolder } from "./cli.ts";
import { openWallet } from "./crypto.ts";
import { dataDirFixture } from "./data-dir-fixture.ts";
import * as factories from "./factories.ts";
import { setUpFactor } from "./factors.ts";
import { operationsOf } from "./operations.ts";
import { addPasskey } from "./passkeys.ts";
import type { Receiver } from "./receiver.ts";
import { failedJob, type RightfulRequest, type RightfulWorld, rightfulRequests, rightfulWorld } from "./rightful-requests.ts";
import { startTestServer, type TestServer } from "./server.ts";
import { startTrackers, type Trackers } from "./trackers.ts";
import { evmWallet } from "./wallets.ts";
import { startYoutube } from "./youtube.ts";

/** The id of the newest publication. */
async function publication(world: World): Promise<string> {
  const slotId = await factories.play(
    world.server,
    await factories.registerPlaytester(world.server),
    await world.order({ visibility: "public" }),
  );
  await world.owner.acceptSlot({ params: { id: slotId } });
  await world.server.advance(0);
  return (await operationsOf(world.server, world.admin).listPublications()).publications[0]!.id;
}

/** A server with a client at Google, and a Google that answers. */
async function connectable({ server }: World): Promise<Call> {
  const google = await startYoutube();
  const { youtube } = server.deps.config.publishing;
  Object.assign(youtube, { clientId: "client", clientSecret: "secret", apiUrl: google.url });
  return {};
}

async function connected(world: World): Promise<void> {
  await connectable(world);
  const body = { adapter: "youtube", deviceCode: "device-1" };
  await world.server.request("POST", "/admin/publishers/connect", { key: world.admin, body });
}

const found = async ({ owner, gameId }: World): Promise<{ id: string }> =>
  (await owner.post(`/games/${gameId}/findings`, { title: "Nobody finds the lantern" })).body.data.finding;

/** A tracker that the owner connected. */
async function trackerOf({ server, owner }: World): Promise<Trackers> {
  const trackers = await startTrackers(server.clock.now);
  await owner.post("/trackers/connect", { tracker: "github", token: "ghp_test", site: trackers.url });
  return trackers;
}

/** While a command waits, the server works. */
const working = ({ server }: World) => ({ sleep: (ms: number) => server.advance(ms), now: () => server.clock.now() });

let groupNumber = 0;
let folderNumber = 0;
/** The id of a new tester group. */
const testerGroup = async ({ server, admin }: World): Promise<string> =>
  (await server.request("POST", "/admin/groups", { key: admin, body: { name: `group-${++groupNumber}` } })).body.data.group.id;

/** A marketplace in which every command has something to do. */
export interface World {
  server: TestServer;
  receiver: Receiver;
  owner: factories.Person;
  admin: string;
  gameId: string;
  order(body?: Record<string, unknown>): Promise<string>;
  /** A slot that is claimed, with the key of who holds it. */
  claimed(): Promise<{ slotId: string; key: string; person: factories.Person }>;
  submitted(): Promise<string>;
  application(): Promise<{ id: string; playtest: string; key: string }>;
  payment(): Promise<string>;
  webhook(): Promise<string>;
  email(id: string): Promise<string>;
}

/** An invitation that is still open. */
async function invited({ server, admin }: World): Promise<string> {
  const body = { invitations: [{ email: `invited-${server.deps.newId()}@example.net` }] };
  const reply = await server.request("POST", "/admin/invitations", { key: admin, body });
  return reply.body.data.results[0].invitation.id;
}

/** An email that the mail server refused. */
async function refusedMail({ server, admin }: World): Promise<string> {
  const email = `refused-${server.deps.newId()}@example.net`;
  server.refusals.set(email, new MailRefused("550 5.1.1 No such mailbox"));
  await server.request("POST", "/admin/invitations", { key: admin, body: { invitations: [{ email }] } });
  await server.advance(0);
  return (await server.request("GET", "/admin/mails?state=failed", { key: admin })).body.data.mails[0].id;
}

export async function everyWorld(server: TestServer, receiver: Receiver): Promise<World> {
  const owner = await factories.registerOwner(server, "Ada");
  await factories.giveCredit(server, owner, 10_000_000);
  const admin = (await ensureAdmin(server.deps))!;
  const gameId = await factories.createGame(owner, { buildUrl: `${server.baseUrl}/build.zip` });
  const world: World = {
    server,
    receiver,
    owner,
    admin,
    gameId,
    async order(body = {}) {
      // An agreement that the command of another row left would have to be accepted before each claim.
      await server.request("DELETE", "/admin/agreement", { key: admin });
      return factories.order(owner, gameId, body);
    },
    async claimed() {
      const person = await factories.registerPlaytester(server);
      const slotId = await factories.claim(person, await world.order());
      return { slotId, key: person.key, person };
    },
    submitted: async () => factories.play(server, await factories.registerPlaytester(server), await world.order()),
    async application() {
      const playtest = await world.order({ selectionMode: "manual", qualifications: "Horror." });
      const person = await factories.registerPlaytester(server);
      const reply = await person.post(`/playtester/playtests/${playtest}/applications`, { qualificationsResponse: "Yes." });
      return { id: reply.body.data.application.id, playtest, key: person.key };
    },
    async payment() {
      const { paymentId } = (await owner.post("/billing/credit", { amountCents: 2000 })).body.data;
      await server.request("POST", `/sandbox/payments/${paymentId}/complete`, { body: { outcome: "paid" } });
      return paymentId;
    },
    async webhook() {
      for (const { id } of (await owner.get("/webhooks")).body.data.webhooks) await owner.delete(`/webhooks/${id}`);
      return (await owner.post("/webhooks", { url: receiver.url, events: ["test.ping"] })).body.data.webhook.id;
    },
    email: async (id) =>
      (await server.request("GET", "/admin/users?limit=100", { key: admin })).body.data.users.find(
        (user: { id: string }) => user.id === id,
      ).email,
  };
  await world.submitted();
  await world.payment();
  await world.application();
  return world;
}

/** How a command is called so that it does its work: the words behind its path, and what differs from the owner at a desk. */
export interface Call extends RunOptions {
  words?: string | readonly string[];
  /** How it ends, where that is not with 0. */
  code?: number;
}
type Row = (world: World) => Call | Promise<Call>;

const nothing: Row = () => ({});
const words =
  (make: (world: World) => string | readonly string[] | Promise<string | readonly string[]>): Row =>
  async (world) => ({ words: await make(world) });
const asAdmin =
  (make: (world: World) => string | readonly string[] | Promise<string | readonly string[]>): Row =>
  async (world) => ({ words: await make(world), key: world.admin });

/** A folder holding one file. */
function withFile(name: string, text: string | Buffer): string {
  const cwd = testFolder();
  writeFileSync(join(cwd, name), text);
  return cwd;
}

const withFactor =
  (rest: string): Row =>
  async ({ server }) => {
    const person = await factories.registerOwner(server);
    const { recoveryCodes } = await setUpFactor(server, person, "correct horse");
    return { key: person.key, words: `--code ${recoveryCodes[0]} ${rest}`.trim() };
  };
const settled = async (world: World) => {
  const id = await world.order();
  await world.owner.post(`/playtests/${id}/cancel`);
  return id;
};
const tester =
  (line: (slotId: string) => string): Row =>
  async (world) => {
    const { slotId, key } = await world.claimed();
    return { words: line(slotId), key };
  };
const fresh: Row = async ({ server }) => ({ key: (await factories.registerPlaytester(server)).key });
const profile: Row = async ({ server, owner }) => {
  const cwd = testFolder();
  const { playtest } = await import("./cli.ts");
  const env = { PLAYTEST_CONFIG_DIR: join(cwd, "config") };
  const options = { baseUrl: server.baseUrl, env, stdin: owner.key };
  const { code, stderr } = await playtest(["login", "--with-key", "-q", "--profile", "one"], options);
  if (code !== 0) throw new Error(stderr);
  return { env, words: "--profile one", key: "" };
};
const subscribed =
  (cancelled: boolean): Row =>
  async ({ server }) => {
    const owner = await factories.registerOwner(server);
    const { subscriptionId } = (await owner.post("/billing/subscription/checkout", { planKey: "indie_monthly" })).body.data;
    await server.request("POST", `/sandbox/subscriptions/${subscriptionId}/complete`, { body: { outcome: "paid" } });
    if (cancelled) await owner.post("/billing/subscription/cancel");
    return { key: owner.key, words: "--yes" };
  };
const talked: Row = async (world) => {
  const person = await factories.registerPlaytester(world.server);
  const slotId = await factories.play(world.server, person, await world.order());
  await world.owner.post(`/slots/${slotId}/accept`);
  const { body } = await world.owner.post("/chat/conversations", { contactId: person.id });
  await world.owner.post(`/chat/conversations/${body.data.conversation.id}/messages`, { content: "Hello" });
  return { words: person.id };
};
/** A command called with what an operation is rightly called with. */
const likeRightful =
  (operation: Operation, line: (request: RightfulRequest) => string): Row =>
  async (world) => {
    const request = await rightfulRequests[operation](await rightfulIn(world));
    return { key: request.as.key, words: line(request) };
  };
/** That of the accounts of `factories.ts`. */
const password = "correct horse";
const secret = { PLAYTEST_WEBHOOK_SECRET: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" };
const yaml = "name: Star Miner\nbuildUrl: https://example.com/a.zip\n";

/** Commands that are not called like their operation, or not only. */
const ownScenes: Record<string, Row> = {
  "auth login": ({ owner }) => ({ words: "--with-key", stdin: owner.key }),
  "auth register": ({ server }) => ({
    words: `--email a${server.deps.newId()}@example.com --role game_owner --password-file -`,
    stdin: "correct horse",
  }),
  "auth switch": async (world) => ({ ...(await profile(world)), words: "one" }),
  "auth list": profile,
  "auth logout": profile,
  "auth resend-verification": words(() => "--email nobody@example.com"),
  "auth profile update": words(() => "--website-url https://example.com"),
  "auth password": async ({ server }) => ({
    key: (await factories.registerOwner(server)).key,
    words: ["--current-password-file", join(withFile("old", password), "old"), "--new-password-file", "-"],
    stdin: `${password}!`,
  }),
  "auth password reset": words(() => "--email nobody@example.com"),
  "auth password confirm": async (world) => ({
    words: ["--token-file", join(withFile("token", await resetToken(world)), "token"), "--new-password-file", "-"],
    stdin: password,
  }),
  "auth email": async ({ server }) => ({
    key: (await factories.registerOwner(server)).key,
    words: `--new-email a${server.deps.newId()}@example.com --password-file -`,
    stdin: "correct horse",
  }),
  "auth factor enable": async ({ server }) => ({
    key: (await factories.registerOwner(server)).key,
    words: "--password-file -",
    stdin: "correct horse",
  }),
  "auth factor disable": withFactor("--yes"),
  "auth factor recovery": withFactor("--yes"),
  "auth passkeys remove": async ({ server }) => {
    const person = await factories.registerPlaytester(server);
    const { id } = await addPasskey(server, person);
    return { key: person.key, words: `${id} --yes --password-file -`, stdin: "correct horse" };
  },
  "auth confirm": withFactor(""),
  "auth delete": async ({ server }) => ({
    key: (await factories.registerOwner(server)).key,
    words: "--yes --password-file -",
    stdin: "correct horse",
  }),
  "auth keys rotate": words(async ({ owner }) => {
    const { key } = (await owner.post("/auth/api-keys", { name: "old" })).body.data;
    return `${key.id} --grace 1h --yes`;
  }),
  "games create": words(() => "--name Fresh --build-url https://example.com/a.zip"),
  "games builds url": async ({ gameId, server, owner }) => {
    const build = ["games", "push", "a.html", gameId];
    const options = { baseUrl: server.baseUrl, key: owner.key, cwd: withFile("a.html", server.deps.newId()) };
    const { code, stderr } = await (await import("./cli.ts")).playtest(build, options);
    if (code !== 0) throw new Error(stderr);
    const { builds } = (await owner.get(`/games/${gameId}/builds?limit=1`)).body.data;
    return { words: `${builds[0].id} ${gameId}` };
  },
  "games push": ({ gameId, server }) => ({
    words: `a.html ${gameId} --version-label ${server.deps.newId().slice(-8)}`,
    cwd: withFile("a.html", server.deps.newId()),
  }),
  "games apply": () => ({ words: "-f game.yaml", cwd: withFile("game.yaml", yaml) }),
  "games diff": ({ gameId }) => ({ words: `${gameId} -f game.yaml`, cwd: withFile("game.yaml", yaml) }),
  "playtests order": words(({ gameId }) => `${gameId} --yes`),
  "playtests quote": words(({ gameId }) => gameId),
  "playtests pay": async ({ server }) => {
    const poor = await factories.registerOwner(server);
    const id = await factories.order(poor, await factories.createGame(poor));
    await factories.giveCredit(server, poor, 10_000);
    return { key: poor.key, words: `${id} --method credit --yes` };
  },
  "playtests keys list": words(({ order }) => order({ keysForTesters: ["AAAA-BBBB-CCCC"] })),
  "playtests keys add": words(async ({ order }) => `${await order()} AAAA-BBBB-CCCC DDDD-EEEE-FFFF`),
  "playtests cancel-slot": words(async ({ order, owner }) => {
    const { slots } = (await owner.get(`/playtests/${await order({ quantity: 2 })}/slots`)).body.data;
    return `${slots[0].id} --yes`;
  }),
  "playtests wait": words(settled),
  "playtests watch": words(settled),
  "playtests bulk": ({ gameId }) => ({
    words: "orders.csv --yes",
    cwd: withFile("orders.csv", `game,quantity\n${gameId},1\n${gameId},2\n`),
  }),
  "playtests template": nothing,
  "applications show": words(async ({ application }) => {
    const { playtest, id } = await application();
    return `${playtest} ${id}`;
  }),
  "review cancel": words(async (world) => {
    const { slotId, person } = await world.claimed();
    await person.post(`/playtester/slots/${slotId}/report`, { reasonCode: "crash" });
    return `${slotId} --yes`;
  }),
  "review transcript": words(async ({ submitted, server }) => {
    const id = await submitted();
    await server.advance(60_000);
    return id;
  }),
  "findings create": words(({ gameId }) => ["Nobody finds the lantern", "--kind", "confusion", "--game", gameId]),
  "findings add": words(async (world) => {
    const slotId = await world.submitted();
    return `${(await found(world)).id} ${slotId} 0:00`;
  }),
  "findings suggest": words(({ order }) => order()),
  "findings connect": async ({ server }) => ({
    words: `github --site ${(await startTrackers(server.clock.now)).url} --token-file -`,
    stdin: "ghp_test",
  }),
  "findings disconnect": async (world) => {
    await trackerOf(world);
    return { words: "github --yes" };
  },
  "findings file": async (world) => {
    await trackerOf(world);
    const { id } = await found(world);
    return { words: `${id} --to github:acme/lantern`, outside: working(world) };
  },
  "findings sync": async (world) => {
    await found(world);
    return { words: world.gameId, outside: working(world) };
  },
  "findings merge": words(async (world) => `${(await found(world)).id} ${(await found(world)).id}`),
  "findings split": words(async (world) => {
    const [slotId, { id }] = [await world.submitted(), await found(world)];
    const { finding } = (await world.owner.post(`/findings/${id}/evidence`, { slotId, fromMs: 0 })).body.data;
    return `${id} ${finding.evidence[0].id} --title Door`;
  }),
  "review note": async ({ submitted }) => ({ words: [await submitted(), "12:41", "Lost in the tutorial"] }),
  "review search": words(async ({ submitted }) => {
    await submitted();
    return "fun";
  }),
  "review share": words(({ submitted }) => submitted()),
  "review clip": async ({ submitted }) => ({ words: [await submitted(), "0:01-0:02"] }),
  "review reel": words(async (world) => {
    const [{ id }, slotId] = [await found(world), await world.submitted()];
    await world.owner.post(`/findings/${id}/evidence`, { slotId, fromMs: 0 });
    return [id, "--name", "The lantern"];
  }),
  "review download": async ({ submitted }) => ({ words: `${await submitted()} --dir videos`, cwd: testFolder() }),
  "review watch": words(() => "--existing --count 1"),
  "billing invoice": async ({ payment }) => ({ words: `${await payment()} --dir out`, cwd: testFolder() }),
  "billing details set": words(() => "--name Lantern"),
  "billing budgets set": words(() => "90000/month"),
  "billing credit add": words(() => "--amount 20"),
  "billing credit x402": words(() => "--amount 20"),
  "billing credit x402 prove": words(async ({ server, owner }) => {
    const wallet = await openWallet(server, owner);
    const asked = await wallet.ask(2000);
    const txHash = await wallet.send(asked, { by: 5_000_000, from: evmWallet().address });
    return [asked.body.error.payment.id, "--tx", txHash];
  }),
  "billing subscription show": subscribed(false),
  "billing forecast": words(() => "--quantity 2"),
  "chat read": talked,
  "chat send": async (world) => ({ words: [(await talked(world)).words as string, "Hello"] }),
  "chat export": talked,
  "chat block": talked,
  "chat unblock": talked,
  "notifications watch": async (world) => {
    await world.submitted();
    return { words: "--unread --count 1" };
  },
  "webhooks list": async (world) => ({ words: (await world.webhook()) && "" }),
  "webhooks show": words(({ webhook }) => webhook()),
  "webhooks create": words(async ({ webhook, receiver, owner }) => {
    await owner.delete(`/webhooks/${await webhook()}`);
    return [receiver.url, "--events", "test.ping"];
  }),
  "webhooks test": words(({ webhook }) => webhook()),
  "webhooks redeliver": words(async ({ webhook, owner }) => {
    const id = await webhook();
    await owner.post(`/webhooks/${id}/test`);
    const { deliveries } = (await owner.get(`/webhooks/${id}/deliveries`)).body.data;
    return `${id} ${deliveries[0].id}`;
  }),
  "webhooks listen": async (world) => {
    await world.submitted();
    return { words: "--from-start --count 2" };
  },
  "webhooks trigger": words(() => "slot.submitted"),
  "webhooks sign": () => ({ words: "-", stdin: "{}", env: secret }),
  "webhooks verify": () => ({
    words: [
      "-",
      "-H",
      "webhook-id: msg_p5jXN8AQM9LWM0D4loKWxJek",
      "-H",
      "webhook-timestamp: 1614265330",
      "-H",
      "webhook-signature: v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    ],
    stdin: '{"test": 2432232314}',
    env: secret,
    now: 1614265330_000,
  }),
  // The receiver of a test speaks no TLS, which is what the doctor finds.
  "webhooks doctor": async ({ webhook }) => ({ words: await webhook(), code: 1 }),
  "tester browse": fresh,
  "tester claim": async (world) => ({ ...(await fresh(world)), words: await world.order() }),
  "tester friends add": likeRightful("requestFriend", ({ body }) => (body as { handle: string }).handle),
  "tester friends block": likeRightful("blockPlaytester", ({ body }) => (body as { handle: string }).handle),
  "tester team confirm": likeRightful("confirmTeam", ({ ids }) => `${ids!.id} --share 10.00`),
  "tester team shares": likeRightful("setTeamShares", ({ ids, body }) => {
    const [share] = (body as { shares: { handle: string }[] }).shares;
    return `${ids!.id} --share ${share!.handle}=5.00`;
  }),
  "tester apply": async (world) => {
    const playtest = await world.order({ selectionMode: "manual", qualifications: "Horror." });
    return { ...(await fresh(world)), words: [playtest, "--qualifications-response", "Yes."] };
  },
  "tester slots": tester(() => ""),
  "tester show": tester((id) => id),
  "tester submit": async (world) => {
    const { slotId, person } = await world.claimed();
    await factories.giveVideo(world.server, slotId, person);
    return { key: person.key, words: ["play.mp4", slotId], cwd: withFile("play.mp4", factories.videoBytes()) };
  },
  "tester reschedule": async (world) => {
    const at = (days: number) => new Date(world.server.clock.now() + days * 86_400_000).toISOString();
    const id = await world.order({ scheduledAt: at(2) });
    const person = await factories.registerPlaytester(world.server);
    const { slot } = await person.claimPlaytest({ params: { id }, body: { scheduledAt: at(2) } });
    await world.owner.updatePlaytest({ params: { id }, body: { scheduledAt: at(3) } });
    return { words: `${slot.id} --accept`, key: person.key };
  },
  "tester release": tester((id) => `${id} --yes`),
  "tester unpublish": async (world) => {
    const person = await factories.registerPlaytester(world.server);
    const slotId = await factories.play(world.server, person, await world.order({ visibility: "public" }));
    await world.owner.acceptSlot({ params: { id: slotId } });
    return { key: person.key, words: `${slotId} --yes` };
  },
  "tester report": tester((id) => `${id} --reason-code other --notes Black.`),
  "tester earnings": fresh,
  "tester payout-details": fresh,
  "tester statement": async ({ server }) => ({ key: (await factories.registerPlaytester(server)).key, words: "--month 2026-03" }),
  "tester payout-details set": async ({ server }) => ({
    key: (await factories.registerPlaytester(server)).key,
    words: "--method paypal --email pay@example.com --password-file -",
    stdin: "correct horse",
  }),
  "tester payout-details remove": async ({ server }) => {
    const person = await factories.registerPlaytester(server);
    const body = { method: "paypal", email: "pay@example.com", password: "correct horse" };
    await person.post("/playtester/payout-details", body);
    return { key: person.key, words: "--yes --password-file -", stdin: "correct horse" };
  },
  "admin approvals": asAdmin(async (world) => (await trial(world)) && ""),
  "admin problems": asAdmin(async (world) => {
    const { slotId, person } = await world.claimed();
    await person.post(`/playtester/slots/${slotId}/report`, { reasonCode: "crash" });
    return "";
  }),
  "admin publishing list": asAdmin(async (world) => (await publication(world)) && ""),
  "admin publishing connect": async (world) => ({ ...(await connectable(world)), words: "youtube --device", key: world.admin }),
  "admin publishing disconnect": async (world) => {
    await connected(world);
    return { words: "youtube --yes", key: world.admin };
  },
  "admin approvals show": asAdmin(trial),
  "admin invite": asAdmin(() => "--email ada@example.net"),
  "admin invitations": asAdmin(async (world) => (await invited(world)) && ""),
  "admin mail list": asAdmin(async (world) => (await refusedMail(world)) && ""),
  "admin jobs": asAdmin(async ({ server }) => (await failedJob(server)) && ""),
  "admin grant": asAdmin(({ owner }) => `${owner.id} --credit 5 --note goodwill`),
  "admin categories create": asAdmin(({ server }) => ["Genre", "--slug", `g-${server.deps.newId()}`]),
  "admin disputes": asAdmin(async (world) => (await disputed(world)) && ""),
  "admin disputes lift": asAdmin(async (world) => `${await disputed(world)} --note settled --yes`),
  "admin flagged": asAdmin(async (world) => (await flagged(world)) && ""),
  "admin flagged clear": asAdmin(async (world) => [await flagged(world), "--note", "refunded at the processor"]),
  "admin suspense": asAdmin(async (world) => (await unmatchedDeposit(world)) && ""),
  "admin suspense resolve": asAdmin(async (world) => [await unmatchedDeposit(world), "--user", world.owner.id, "--note", "late"]),
  "admin owed": asAdmin(async (world) => (await earner(world)) && ""),
  "admin payouts": asAdmin(async (world) => (await payout(world)) && ""),
  "admin payouts create": asAdmin(async (world) => `${await earner(world)} --amount 5 --yes`),
  "admin payouts totals": asAdmin(async (world) => (await earner(world)) && "--year 2026"),
  "admin payouts batches": asAdmin(async (world) => (await payoutBatch(world)) && ""),
  "admin payouts show": asAdmin(async (world) => (await payoutBatch(world)).batchId),
  "admin payouts file": asAdmin(async (world) => `${(await payoutBatch(world)).batchId} --format paypal`),
  "admin payouts settle": async (world) => {
    const { batchId, payoutId } = await payoutBatch(world);
    const cwd = withFile("returned.csv", `reference,status\n${payoutId},paid\n`);
    return { key: world.admin, words: `${batchId} --file returned.csv`, cwd };
  },
  "admin agreement set": asAdmin(() => ["--file", join(withFile("nda.md", "Tell nobody."), "nda.md")]),
  "admin agreement end": asAdmin(async ({ server, admin }) => {
    await server.request("PUT", "/admin/agreement", { key: admin, body: { text: "Tell nobody." } });
    return "";
  }),
  "admin groups list": asAdmin(async (world) => (await testerGroup(world)) && ""),
  "admin groups create": asAdmin(() => `group-${++groupNumber}`),
  "admin groups add": asAdmin(async (world) => `${await testerGroup(world)} nobody@example.com`),
  "admin groups remove": asAdmin(async (world) => `${await testerGroup(world)} nobody@example.com`),
  "mcp install": () => ({ words: "claude-code", cwd: testFolder() }),
  "ci init": () => ({ words: "github", cwd: testFolder() }),
  "ci summary": words(({ order }) => order()),
  "ci comment": async ({ order, server }) => {
    const trackers = await startTrackers(server.clock.now);
    trackers.pulls.set("github acme/lantern 12", []);
    const env = { GITHUB_TOKEN: "ghs_test", GITHUB_API_URL: `${trackers.url}/api/v3` };
    return { words: `${await order()} --to github:acme/lantern#12`, env };
  },
  "serve backup": async () => ({ words: [join(testFolder(), "copy.tar"), "--data", dataDirFixture()] }),
  "serve export": async () => ({ words: [join(testFolder(), "copy.tar"), "--data", dataDirFixture()] }),
  "serve backup verify": async () => ({ words: [await archive()] }),
  "serve restore": async () => ({ words: [await archive(), "--data", dataDirFixture(), "--yes"] }),
  "serve import": async () => ({ words: [await archive(), "--data", join(testFolder(), "new")] }),
  "serve rotate-key": async () => ({ words: ["--data", dataDirFixture(), "--yes"] }),
  "serve reset-factor": async () => {
    const dataDir = dataDirFixture();
    const server = await startTestServer({ store: await openStore({ dataDir }), dataDir });
    const owner = await factories.registerOwner(server);
    await setUpFactor(server, owner, "correct horse");
    await server.close();
    return { words: [owner.id, "--data", dataDir, "--yes"] };
  },
  "serve proxy": words(() => ["nginx", "--public-url", "https://playtest.example.com"]),
  "serve compose": words(() => {
    const folder = join(testFolder(), `deploy-${++folderNumber}`);
    return ["--public-url", "https://playtest.example.com", "--to", folder];
  }),
  "serve dashboards": words(() => ["--to", join(testFolder(), `dashboards-${++folderNumber}`)]),
  "serve kubernetes": words(() => ["--public-url", "https://playtest.example.com"]),
  "sandbox advance": words(() => "1s"),
  "sandbox mail": words(async (world) => (await resetToken(world)) && "--limit 3"),
  "sandbox verify": words(async ({ server, email }) => {
    const { id } = await factories.registerOwner(server);
    const user = (await server.deps.store.read((q) => findUser(q, id)))!;
    await server.deps.store.write((tx) => mailVerification(tx, user));
    return email(id);
  }),
  "sandbox subscription pay": async ({ server }) => {
    const owner = await factories.registerOwner(server);
    const { subscriptionId } = (await owner.post("/billing/subscription/checkout", { planKey: "indie_monthly" })).body.data;
    return { key: owner.key, words: subscriptionId };
  },
  "sandbox subscription renewals": async (world) => ({ ...(await subscribed(false)(world)), words: "--outcome failed" }),
  "sandbox transaction": words(() => `--chain base --currency USDC --to 0x${"5a".repeat(20)} --amount 2000000`),
  "config get": words(() => "timeout"),
  "config set": words(() => "timeout 1m"),
  open: words(({ submitted }) => submitted().then((id) => `${id} --print`)),
  api: words(() => "games"),
  schema: words(() => "games create"),
  completion: words(() => "bash"),
  help: words(() => "exit-codes"),
};

/** Commands without a scene, and why. */
export const withoutScene: Record<string, string> = {
  "serve run": "prints no data: it runs a server",
  "serve doctor": "needs a folder no server uses: see serve.test.ts",
  "serve move-files": "needs a bucket: see bucket.test.ts",
  "serve migrate": "needs a folder no server uses: see serve.test.ts",
  "serve top": "needs a server with metrics: see top.test.ts",
  "serve upgrade": "needs a folder no server uses: see upgrade.test.ts",
  "review next": "an inbox for a person on a terminal; refuses other formats",
  "mcp run": "speaks a protocol until its client leaves: see mcp.test.ts",
  studio: "runs until it is stopped: see studio.test.ts",
};

/** Whoever the operations are rightly called by in a world. */
const rightful = new WeakMap<World, Promise<RightfulWorld>>();

async function rightfulIn(world: World): Promise<RightfulWorld> {
  const known = rightful.get(world);
  if (known) return known;
  const { id } = await operationsOf(world.server, world.admin).getMe();
  const made = rightfulWorld(world.server, factories.personWith(world.server, world.admin, id));
  rightful.set(world, made);
  return made;
}

const operationAt = new Map(
  Object.entries(contract).map(([name, { method, path }]) => [`${method} /api/v1${path}`, name as Operation]),
);
const flagOf = (field: string) => field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** A command called with what its first operation is rightly called with: ids as arguments, fields of the body as flags. */
const likeItsOperation =
  ({ args, flags, risk, endpoint }: TreeCommand): Row =>
  async (world) => {
    const operation = operationAt.get(endpoint[0] ?? "");
    if (!operation) return {};
    const { as, ids = {}, body = {} } = await rightfulRequests[operation](await rightfulIn(world));
    const params = [...contract[operation].path.matchAll(/:(\w+)/g)].map(([, name]) => ids[name!]!);
    const fields = Object.entries(body as object).filter(([field]) => flags.some(({ name }) => name === flagOf(field)));
    const given = fields.flatMap(([field, value]) => [`--${flagOf(field)}`, String(value)]);
    return {
      key: as.key,
      words: [...(args.length > 0 ? params : []), ...given, ...(risk === "destroy" || risk === "spend" ? ["--yes"] : [])],
    };
  };

const shortcuts = new Set(shortEntries.map(({ name }) => name));

/** The scene of each command: that of its operation, or its own. */
export const everyCommand: Record<string, Row> = {
  ...Object.fromEntries(
    tree.commands
      .map((command) => [command.path.join(" "), likeItsOperation(command)] as const)
      .filter(([path]) => withoutScene[path] === undefined && !shortcuts.has(path)),
  ),
  ...ownScenes,
};

/** The token of a reset mail. */
async function resetToken({ server }: World): Promise<string> {
  const owner = await factories.registerOwner(server);
  const { email } = (await owner.get("/auth/me")).body.data;
  await server.request("POST", "/auth/password-reset", { body: { email } });
  const { messages } = (await server.request("GET", "/sandbox/outbox?limit=1")).body.data;
  return /token=([\w-]+)/.exec(messages[0].text)![1]!;
}

async function trial({ server }: World) {
  const owner = await factories.registerOwner(server);
  return factories.order(owner, await factories.createGame(owner), { isFreePublicTrial: true });
}

async function earner(world: World) {
  const person = await factories.registerPlaytester(world.server);
  const slotId = await factories.play(world.server, person, await world.order());
  await world.owner.post(`/slots/${slotId}/accept`);
  return person.id;
}

/** A deposit that was too small. */
async function unmatchedDeposit({ server, owner, admin }: World): Promise<string> {
  const wallet = await openWallet(server, owner);
  await wallet.prove(await wallet.send(await wallet.ask(), { by: -1_000_000 }));
  return (await server.request("GET", "/admin/suspense", { key: admin })).body.data.suspense[0].id;
}

/** A payment that an operator should look at. */
async function flagged(world: World): Promise<string> {
  const id = await paymentOfAnother(world);
  await flagPayment(world.server, id);
  return id;
}

/** A payment that its bank took back. */
async function disputed(world: World): Promise<string> {
  const id = await paymentOfAnother(world);
  await world.server.request("POST", `/admin/payments/${id}/chargeback`, { key: world.admin });
  return id;
}

/** A payment of another owner, because a dispute ends the orders of whoever paid. */
async function paymentOfAnother({ server }: World): Promise<string> {
  const owner = await factories.registerOwner(server);
  const { paymentId } = (await owner.post("/billing/credit", { amountCents: 2000 })).body.data;
  await server.request("POST", `/sandbox/payments/${paymentId}/complete`, { body: { outcome: "paid" } });
  return paymentId;
}

/** A batch with one pending payout. */
async function payoutBatch(world: World): Promise<{ batchId: string; payoutId: string }> {
  const person = await factories.registerPlaytester(world.server);
  await person.post("/playtester/payout-details", { method: "paypal", email: "pay@example.com", password: "correct horse" });
  await world.owner.post(`/slots/${await factories.play(world.server, person, await world.order())}/accept`);
  const asked = (method: string, path: string, body?: object) => world.server.request(method, path, { key: world.admin, body });
  const batchId: string = (await asked("POST", "/admin/payout-batches", {})).body.data.batch.id;
  return { batchId, payoutId: (await asked("GET", `/admin/payouts?batch=${batchId}`)).body.data.payouts[0].id };
}

async function payout(world: World): Promise<string> {
  const body = { userId: await earner(world), amountCents: 500 };
  const reply = await world.server.request("POST", "/admin/payouts", { key: world.admin, body });
  return reply.body.data.payout.id;
}

/** A backup of a server nobody used yet. */
async function archive(): Promise<string> {
  const file = join(testFolder(), "backup.tar");
  const { playtest } = await import("./cli.ts");
  const { code, stderr } = await playtest(["serve", "backup", file, "--data", dataDirFixture()]);
  if (code !== 0) throw new Error(stderr);
  return file;
}
