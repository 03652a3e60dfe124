import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { playtest, type Ran, type RunOptions, testFolder } from "../cli.ts";
import { videoFixture } from "../videos.ts";
import { newId } from "../walk.ts";
import { type SpecificationServer, startSpecificationServer } from "./index.ts";
import type { Item } from "./state.ts";

/** How a command is called on this server, and how it ends there: with 0 unless it says otherwise. */
export interface Call extends RunOptions {
  words?: string | readonly string[];
  code?: number;
}
type Row = (world: World) => Call;

/** A server with one of everything. */
export interface World {
  server: SpecificationServer;
  gameId: string;
  /** An active playtest, with open slots. */
  order(more?: Record<string, unknown>): string;
  submitted(): string;
  application(): { id: string; playtest: string };
  webhook(): string;
}

/** Fills the server and returns what commands can name. */
export function fill(server: SpecificationServer): World {
  const { state } = server;
  const gameId = state.newUuid();
  const now = state.now();
  const texts = { description: null, instructions: null, coverImageUrl: null, externalUrl: null };
  const sets = { categories: [], devices: ["PC"], platforms: ["Steam"] };
  const buildUrl = `${server.files.origin}/build.zip`;
  const times = { createdAt: now, updatedAt: now };
  state.games.push({ id: gameId, name: "Star Miner", ...texts, buildUrl, status: "active", ...times, ...sets } as Item);
  state.builds.push({ id: state.newId("build"), gameId, buildUrl, createdAt: now });

  function order(more: Record<string, unknown> = {}) {
    const id = state.newId("pt");
    const size = { visibility: "private", quantity: 2, durationMinutes: 60, playerCount: 1 };
    const money = { costPerSlotCents: 2000, payoutCents: 1000, isFreePublicTrial: false };
    const target = { targetingType: null, targetingScope: null, selectionMode: "automatic", qualifications: null };
    const rest = { notesForTesters: null, status: "active", applicationsExpireAt: null, createdAt: now };
    state.playtests.unshift({ id, gameId, ...size, ...money, ...target, ...rest, ...more });
    for (let n = 0; n < 2; n++) state.slot(id);
    return id;
  }

  function webhook() {
    const id = state.newId("wh");
    const health = { isActive: true, failureCount: 0, lastFailureAt: null };
    state.webhooks.unshift({ id, url: "https://hooks.example/a", events: ["*"], ...health, createdAt: now });
    return id;
  }

  function application() {
    const playtest = order({ selectionMode: "manual", qualifications: "Horror.", applicationsExpireAt: now });
    return { id: state.apply(playtest).id, playtest };
  }

  const conversationId = state.newUuid();
  const latest = { unreadCount: 1, lastMessageAt: now, lastMessagePreview: "Hello" };
  state.contacts.push({ id: "user_kim", displayName: "Kim", chatMode: "free", isUnlocked: true, ...latest, conversationId });
  const sender = { senderType: "playtester", senderId: "user_kim", content: "Hello", readAt: null, createdAt: now };
  state.messages.push({ id: state.newId("msg"), conversationId, ...sender });
  state.pay(2000, "stripe");
  state.submit(order());
  return { server, gameId, order, submitted: () => state.submit(order()).id, application, webhook };
}

const words =
  (make: (world: World) => string | readonly string[]): Row =>
  (world) => ({ words: make(world) });
const nothing: Row = () => ({});
/** A command that this server cannot serve, with ids that it need not know. */
const absent =
  (line: string, more: Call = {}): Row =>
  () => ({ words: line, code: 3, ...more });

function withFile(name: string, text: string | Buffer): string {
  const cwd = testFolder();
  writeFileSync(join(cwd, name), text);
  return cwd;
}

const payment = ({ server }: World) => server.state.payments[0]!.id;

function subscribe({ server: { state } }: World, cancelAtPeriodEnd: boolean) {
  const times = { currentPeriodStart: state.now(), currentPeriodEnd: "2026-04-01T12:00:00.000Z", cancelledAt: null };
  const ended = { endedAt: null, endedReason: null, createdAt: state.now() };
  const plan = { planKey: "indie_monthly", planName: "Indie", tier: "indie", interval: "month", priceCents: 7900 };
  const hours = { minutesPerCycle: 300, hoursPerCycle: 5 };
  const id = state.newId("sub");
  state.subscription = { id, ...plan, ...hours, status: "active", ...times, cancelAtPeriodEnd, ...ended };
}
const subscribed =
  (cancelled: boolean): Row =>
  (world) => {
    subscribe(world, cancelled);
    return { words: "--yes" };
  };

const id = "7d9f1c1e-5f6b-4a52-8a57-0c6a3f9f1aff";
const passwordFile = () => join(withFile("password", "correct horse"), "password");

/** Every command that talks to a server. */
export const specificationCommands: Record<string, Row> = {
  "auth login": ({ server }) => ({ words: "--with-key", stdin: server.key, key: "" }),
  "auth register": () => ({
    words: "--email a@example.com --role game_owner --password-file -",
    stdin: "correct horse",
    key: "",
  }),
  "auth status": nothing,
  "auth wait-verified": nothing,
  "auth resend-verification": absent("--email nobody@example.com"),
  "auth profile show": absent(""),
  "auth profile update": absent("--website-url https://example.com"),
  "auth password": () => ({
    words: ["--current-password-file", passwordFile(), "--new-password-file", "-"],
    stdin: "correct horse!",
    code: 3,
  }),
  "auth password reset": absent("--email nobody@example.com"),
  "auth password confirm": () => ({
    words: ["--token-file", passwordFile(), "--new-password-file", "-"],
    stdin: "correct horse!",
    code: 3,
  }),
  "auth keys list": absent(""),
  "auth keys create": absent("--name ci"),
  "auth keys revoke": absent(`${id} --yes`),
  "auth keys rotate": absent(`${id} --grace 1h --yes`),
  "auth email": absent("--new-email a@example.com --password-file -", { stdin: "correct horse" }),
  "auth factor status": absent(""),
  "auth factor enable": () => ({ words: "--password-file -", stdin: "correct horse", code: 3 }),
  "auth factor disable": absent("--code 123456 --yes"),
  "auth factor recovery": absent("--code 123456 --yes"),
  "auth passkeys list": absent(""),
  "auth passkeys remove": () => ({ words: `${id} --yes --password-file -`, stdin: "correct horse", code: 3 }),
  "auth confirm": absent("--code 123456"),
  "auth export": absent(""),
  "auth delete": () => ({ words: "--yes --password-file -", stdin: "correct horse", code: 3 }),
  "notifications settings": absent(""),
  "info list": nothing,
  "auth sessions list": absent(""),
  "auth sessions end": absent(`${id} --yes`),
  "auth sign-out-everywhere": absent("--yes"),
  "games list": nothing,
  "games show": words(({ gameId }) => gameId),
  "games create": words(() => "--name Fresh --build-url https://example.com/a.zip"),
  "games update": words(({ gameId }) => `${gameId} --instructions Run`),
  "games agreement": absent(id),
  "games consents": absent(id),
  "games builds": words(({ gameId }) => gameId),
  "games builds url": words(({ gameId }) => `${id} ${gameId}`),
  "games use": words(({ gameId }) => gameId),
  "games push": ({ gameId, server }) => ({
    words: ["a.html", gameId, "--upload-cmd", `echo ${server.files.origin}/a.html`, "--no-verify"],
    cwd: withFile("a.html", "game"),
  }),
  "games apply": () => ({
    words: "-f game.yaml",
    cwd: withFile("game.yaml", "name: Moon Miner\nbuildUrl: https://example.com/a.zip\n"),
  }),
  "games diff": ({ gameId }) => ({
    words: `${gameId} -f game.yaml`,
    cwd: withFile("game.yaml", "name: Moon Miner\nbuildUrl: https://example.com/a.zip\n"),
  }),
  "playtests list": words(({ gameId }) => gameId),
  "playtests show": words(({ order }) => order()),
  "playtests panels": absent(""),
  "playtests keys list": absent(id),
  "playtests keys add": absent(`${id} KEY-1`),
  "playtests order": words(({ gameId }) => `${gameId} --yes`),
  "playtests quote": words(({ gameId }) => gameId),
  "playtests pay": words(({ order }) => `${order({ status: "pending_payment" })} --method credit --yes`),
  "playtests cancel": words(({ order }) => `${order()} --yes`),
  "playtests update": words(({ order }) => `${order()} --notes-for-testers New`),
  "playtests slots": words(({ order }) => order()),
  "playtests cancel-slot": words((world) => `${world.server.state.slot(world.order()).id} --yes`),
  "playtests wait": words(({ order }) => `${order({ status: "completed" })} --until any-submitted --for 1s`),
  "playtests watch": words(({ order, server }) => {
    const playtest = order();
    for (const slot of server.state.slots) if (slot.requestId === playtest) slot.status = "accepted";
    // The specification does not say what status a playtest has when all its slots ended.
    return `${playtest} --interval 1s`;
  }),
  "playtests bulk": ({ gameId }) => ({
    words: "orders.csv --yes",
    cwd: withFile("orders.csv", `game,quantity\n${gameId},1\n${gameId},2\n`),
  }),
  "applications list": words(({ application }) => application().playtest),
  "applications show": words(({ application }) => {
    const { playtest, id: one } = application();
    return `${playtest} ${one}`;
  }),
  "applications approve": words(({ application }) => application().id),
  "applications reject": words(({ application }) => application().id),
  "review list": nothing,
  "review show": words(({ submitted }) => submitted()),
  "review accept": words(({ submitted }) => submitted()),
  "review reject": words(({ submitted }) => `${submitted()} --reason Silent.`),
  "review unblock": words((world) => world.server.state.slot(world.order(), { status: "blocked" }).id),
  "review problems": nothing,
  "review cancel": words((world) => `${world.server.state.slot(world.order(), { status: "blocked" }).id} --yes`),
  "review url": words(({ submitted }) => submitted()),
  "review transcript": words(({ submitted }) => submitted()),
  "review note": words(({ submitted }) => `${submitted()} 12:41 Lost`),
  "review notes list": words(({ submitted }) => submitted()),
  "review notes edit": absent(`${id} --severity 4`),
  "review search": absent("door"),
  "review notes delete": absent(`${id} --yes`),
  "review notes push": nothing,
  "review share": absent(id),
  "review shares": absent(""),
  "review unshare": absent(id),
  "review publication": absent(id),
  "review unpublish": absent(`${id} --reason Private --yes`),
  "review clip": absent(`${id} 0:01-0:02`),
  "review still": absent(id),
  "review still delete": absent(`${id} --yes`),
  "review clips list": absent(id),
  "review clips delete": absent(`${id} --yes`),
  "review download": ({ submitted }) => ({ words: `${submitted()} --dir videos`, cwd: testFolder() }),
  "review watch": words(() => "--existing --count 1"),
  "review stats": nothing,
  "billing balance": nothing,
  "billing payments list": nothing,
  "billing payments show": words(payment),
  "billing invoice": (world) => ({ words: `${payment(world)} --dir out`, cwd: testFolder() }),
  "billing invoices list": absent(""),
  "billing details show": absent(""),
  "billing details set": absent("--name Lantern"),
  "billing credit add": words(() => "--amount 20"),
  "billing credit x402": words(() => "--amount 20"),
  "billing credit x402 prove": absent(`${id} --tx 0x5a`),
  "approvals list": absent(""),
  "approvals show": absent(id),
  "approvals approve": absent(`${id} --yes`),
  "approvals decline": absent(`${id} --yes`),
  "billing budgets list": absent(""),
  "billing budgets set": absent("50/day"),
  "billing budgets remove": absent(`${id} --yes`),
  "billing plans": nothing,
  "billing subscription show": subscribed(false),
  "billing subscription checkout": words(() => "--plan-key studio_monthly"),
  "billing subscription cancel": subscribed(false),
  "billing subscription resume": subscribed(true),
  "billing hours": nothing,
  "billing hours history": nothing,
  "billing spend": absent(""),
  "billing forecast": words(() => "--quantity 2"),
  "chat list": nothing,
  "chat read": words(() => "user_kim"),
  "chat send": words(() => ["user_kim", "Hello"]),
  "chat unread": nothing,
  "chat export": words(() => "user_kim"),
  "chat block": absent("user_kim"),
  "chat unblock": absent("user_kim"),
  "notifications list": nothing,
  "notifications read-all": nothing,
  "notifications watch": words(() => "--unread --count 1"),
  "webhooks list": (world) => ({ words: world.webhook() && "" }),
  "webhooks show": words(({ webhook }) => webhook()),
  "webhooks create": words(() => "https://hooks.example/b --events test.ping"),
  "webhooks update": words(({ webhook }) => `${webhook()} --events slot.submitted`),
  "webhooks delete": words(({ webhook }) => `${webhook()} --yes`),
  "webhooks test": words(({ webhook }) => webhook()),
  "webhooks enable": words(({ webhook }) => webhook()),
  "webhooks rotate-secret": words(({ webhook }) => `${webhook()} --yes`),
  "webhooks deliveries": words(({ webhook }) => webhook()),
  "webhooks redeliver": words(({ webhook }) => `${webhook()} dlv_1`),
  "webhooks listen": words(() => "--from-start --count 1"),
  "webhooks trigger": absent("slot.submitted"),
  "tester browse": absent(""),
  "tester agreement": absent(id),
  "tester claim": absent(id),
  "tester apply": absent(`${id} --qualifications-response Yes.`),
  "tester applications": absent(""),
  "tester withdraw": absent(id),
  "tester slots": absent(""),
  "tester show": absent(id),
  "tester submit": () => ({ words: `play.mp4 ${id}`, cwd: withFile("play.mp4", videoFixture("instant.mp4")), code: 3 }),
  "tester release": absent(`${id} --yes`),
  "tester report": absent(`${id} --reason-code other --notes Black.`),
  "tester earnings": absent(""),
  "tester payout-details": absent(""),
  "tester statement": absent("--year 2026"),
  "tester payout-details set": absent("--method paypal --email a@example.com --password-file -", { stdin: "correct horse" }),
  "tester payout-details remove": absent("--yes --password-file -", { stdin: "correct horse" }),
  "info categories": nothing,
  "info devices": nothing,
  "info platforms": nothing,
  "admin approvals": absent(""),
  "admin approvals show": absent(id),
  "admin approvals approve": absent(id),
  "admin approvals reject": absent(id),
  "admin users": absent(""),
  "admin users verify": absent(id),
  "admin users reset-factor": absent(`${id} --yes`),
  "admin users delete": absent(`${id} --yes`),
  "admin disputes": absent(""),
  "admin disputes lift": absent(`${id} --note settled --yes`),
  "admin users suspend": absent(id),
  "admin users unsuspend": absent(id),
  "admin games suspend": absent(id),
  "admin games unsuspend": absent(id),
  "admin invite": absent("--email ada@example.net"),
  "admin invitations": absent(""),
  "admin invitations revoke": absent(id),
  "admin grant": absent(`${id} --credit 5 --note goodwill`),
  "admin categories list": nothing,
  "admin categories create": absent("Genre --slug genre"),
  "admin chargeback": absent(`${id} --yes`),
  "admin suspense": absent(""),
  "admin suspense resolve": absent(`${id} --user ${id} --note late`),
  "admin suspense refund": absent(`${id} --note sent --yes`),
  "admin problems": absent(""),
  "admin publishing list": absent(""),
  "admin publishing platforms": absent(""),
  "admin publishing connect": absent("youtube --device"),
  "admin publishing disconnect": absent("youtube --yes"),
  "admin publishing retry": absent(id),
  "admin publishing move": absent(`${id} --to own --yes`),
  "admin publishing remove": absent(`${id} --reason Private --yes`),
  "admin owed": absent(""),
  "admin payouts": absent(""),
  "admin payouts create": absent(`${id} --amount 5 --yes`),
  "admin payouts totals": absent("--year 2026"),
  "admin payouts batches": absent(""),
  "admin payouts show": absent(id),
  "admin payouts file": absent(`${id} --format bank`),
  "admin payouts settle": absent(`${id} --file -`, { stdin: "reference,status\nPO-1,paid\n" }),
  "admin payouts paid": absent(id),
  "admin payouts fail": absent(id),
  "admin admins": absent(""),
  "admin admins create": absent("--name Ada --scopes approve"),
  "admin admins revoke": absent(`${id} --yes`),
  "admin agreement show": absent(""),
  "admin agreement set": () => ({ words: ["--file", join(withFile("nda.md", "Tell nobody."), "nda.md")], code: 3 }),
  "admin agreement end": absent(""),
  "admin consents": absent(""),
  "admin groups list": absent(""),
  "admin groups create": absent("qa"),
  "admin groups members": absent(id),
  "admin groups add": absent(`${id} ada@example.com`),
  "admin groups remove": absent(`${id} ada@example.com`),
  "admin groups delete": absent(`${id} --yes`),
  "admin mail list": absent(""),
  "admin mail retry": absent(id),
  "admin jobs": absent(""),
  "admin jobs retry": absent(id),
  "admin audit": absent(""),
  "admin stats": absent(""),
  "ci summary": words(({ order }) => order()),
  "sandbox play": absent(id),
  "sandbox advance": absent("1s"),
  "sandbox clock": absent(""),
  "sandbox mail": absent(""),
  "sandbox verify": absent("a@example.com"),
  "sandbox pay": absent(id),
  "sandbox subscription pay": absent(id),
  "sandbox subscription renewals": (world) => {
    subscribe(world, false);
    return { words: "--outcome failed", code: 3 };
  },
  "sandbox transaction": absent(`--chain base --currency USDC --to 0x${"5a".repeat(20)} --amount 2000000`),
  "sandbox testers create": absent(""),
  status: nothing,
  stats: nothing,
  doctor: nothing,
  open: words(({ submitted }) => `${submitted()} --print`),
  api: words(() => "games"),
};

for (const path of ["games builds url", "playtests pay", "playtests cancel", "playtests cancel-slot", "review unblock"])
  specificationCommands[path] = ending(specificationCommands[path]!, 3);
for (const path of ["review cancel", "webhooks redeliver", "webhooks listen"])
  specificationCommands[path] = ending(specificationCommands[path]!, 3);

function ending(row: Row, code: number): Row {
  return (world) => ({ ...row(world), code });
}

const running: SpecificationServer[] = [];

/** A server with one of everything. */
export async function startWorld(): Promise<World> {
  const server = await startSpecificationServer();
  running.push(server);
  return fill(server);
}

/** Stops all servers of the test. */
export async function stopWorlds(): Promise<void> {
  for (const server of running.splice(0)) await server.close();
}

/** Runs a command as its row says, with some flags more; `expected` is how the row says it ends. */
export async function runSpecification(
  world: World,
  path: string,
  flags: readonly string[] = [],
  more: RunOptions = {},
): Promise<Ran & { expected: number }> {
  const { words: given = "", code: expected = 0, env, ...options } = specificationCommands[path]!(world);
  const rest = typeof given === "string" ? given.split(" ").filter(Boolean) : given;
  const { baseUrl, key } = world.server;
  const all = {
    baseUrl,
    key,
    ...options,
    ...more,
    env: { NO_COLOR: "1", ...env, ...more.env },
    outside: { newId, ...more.outside },
  };
  return { ...(await playtest([...path.split(" "), ...rest, ...flags], all)), expected };
}
