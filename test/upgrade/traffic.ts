import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { videoBytes } from "../helpers/factories.ts";
import { type Listening, listenTo } from "../helpers/sse.ts";
import { metadataHeader, octets, sha256, tus } from "../helpers/tus.ts";
import { type Client, inWords } from "./client.ts";

/** An account with its key. */
export interface Person {
  id: string;
  key: string;
}

export interface Market {
  adminKey: string;
  owner: Person;
  gameId: string;
  testers: readonly Person[];
}

/** What the server acknowledged. Ids unless it says otherwise. */
export interface Acknowledged {
  orders: { id: string; cents: number }[];
  claims: string[];
  submissions: string[];
  accepted: string[];
  messages: string[];
  /** Accounts. */
  deleted: string[];
  /** By the SHA-256 of what was uploaded. */
  builds: string[];
  /** The ids of events in the order in which a stream sent them. */
  streamed: string[];
}

const password = "correct horse battery";
/** The credit that the owner is granted. */
export const grantedCents = 50_000_000;
const paceMs = 50;
const retryMs = 200;
/** How long (ms) an upload may make no progress, and the stream may take to send what there is. */
const [uploadMs, streamMs] = [120_000, 60_000];

export async function register(
  client: Client,
  adminKey: string,
  role: "game_owner" | "playtester",
  name: string,
): Promise<Person> {
  const body = { email: `${name}@example.com`, password, role, name };
  const { data } = await client.insist("POST /auth/register/api-key", { body });
  await client.insist(`POST /admin/users/${data.user.id}/verify`, { key: adminKey, body: {} });
  return { id: data.user.id, key: data.apiKey };
}

/** An owner with credit, a game and a webhook, and playtesters. */
export async function createMarket(client: Client, adminKey: string, hook: string): Promise<Market> {
  const owner = await register(client, adminKey, "game_owner", "owner");
  const credit = { amountCents: grantedCents, note: "for the upgrade" };
  await client.insist(`POST /admin/users/${owner.id}/credit`, { key: adminKey, body: credit });
  const game = { name: "Lantern Deep", buildUrl: "https://example.com/build.zip", instructions: "Press start." };
  const { data } = await client.insist("POST /games", { key: owner.key, body: game });
  await client.insist("POST /webhooks", { key: owner.key, body: { url: hook, events: ["*"] } });
  const testers = [];
  for (const name of ["lin", "kim", "bo"]) testers.push(await register(client, adminKey, "playtester", name));
  return { adminKey, owner, gameId: data.game.id, testers };
}

/** Traffic of every kind until `stop` is called: then each loop ends what it began. */
export function startTraffic(client: Client, market: Market) {
  const done: Acknowledged = {
    orders: [],
    claims: [],
    submissions: [],
    accepted: [],
    messages: [],
    deleted: [],
    builds: [],
    streamed: [],
  };
  const stopping = new AbortController();
  const context: Context = { client, market, done, faults: [], open: [], isOver: () => stopping.signal.aborted };
  const loops = [
    repeat(context, order),
    ...market.testers.map((tester) => repeat(context, (given) => play(given, tester))),
    repeat(context, read),
    repeat(context, readAsOperator),
    repeat(context, upload),
    repeat(context, comeAndGo),
    repeat(context, talk),
  ];
  const following = follow(context);
  return {
    done,
    /** What went wrong besides requests that failed. */
    faults: context.faults,
    async stop(): Promise<void> {
      stopping.abort();
      await Promise.all(loops);
    },
    /** Ends the stream of events once it has sent this one. */
    streamedUntil: (id: string) => following.until(id),
  };
}

interface Context {
  client: Client;
  market: Market;
  done: Acknowledged;
  faults: string[];
  /** Playtests that nobody claimed yet. */
  open: string[];
  isOver(): boolean;
}

async function repeat(context: Context, work: (context: Context) => Promise<void>): Promise<void> {
  try {
    while (!context.isOver()) {
      await work(context);
      await sleep(paceMs);
    }
  } catch (error) {
    context.faults.push(`a part of the traffic ended: ${inWords(error)}`);
  }
}

async function order({ client, market, done, open }: Context): Promise<void> {
  const { data } = await client.insist(`POST /games/${market.gameId}/playtests`, { key: market.owner.key, body: {} });
  done.orders.push({ id: data.playtest.id, cents: data.totalCents });
  open.push(data.playtest.id);
}

/** Claims a slot, uploads the video in pieces and submits it; the owner accepts it. */
async function play({ client, market, done, open }: Context, { key }: Person): Promise<void> {
  const playtestId = open.shift();
  if (playtestId === undefined) return;
  const claimed = await client.insist(`POST /playtester/playtests/${playtestId}/claim`, { key, body: {} });
  const slotId: string = claimed.data.slot.id;
  done.claims.push(slotId);
  const video = videoBytes(96 * 1024);
  await send(client, `/playtester/slots/${slotId}/video`, key, video, { filename: "play.mp4", filetype: "video/mp4" }, 3);
  await client.insist(`POST /playtester/slots/${slotId}/submit`, { key, body: { notes: "It was fun." } });
  done.submissions.push(slotId);
  await client.insist(`POST /playtests/slots/${slotId}/accept`, { key: market.owner.key, body: { rating: 4 } });
  done.accepted.push(slotId);
}

const reads = [
  "/inbox",
  "/notifications",
  "/notifications/settings",
  "/events",
  "/games",
  "/billing/balance",
  "/playtests/submissions",
  "/playtests/dashboard/stats",
  "/webhooks",
  "/auth/me",
];
const testerReads = [
  "/playtester/playtests",
  "/playtester/slots",
  "/playtester/earnings",
  "/notifications",
  "/inbox",
  "/auth/me",
];

async function read({ client, market }: Context): Promise<void> {
  for (const path of [...reads, `/games/${market.gameId}/playtests`]) await client.ask(`GET ${path}`, { key: market.owner.key });
  for (const path of testerReads) await client.ask(`GET ${path}`, { key: market.testers[0]!.key });
}

async function readAsOperator({ client, market }: Context): Promise<void> {
  for (const path of ["/admin/users", "/admin/audit", "/admin/jobs/failed"])
    await client.ask(`GET ${path}`, { key: market.adminKey });
  await sleep(200);
}

/** A build in 40 pieces, which takes some seconds. */
async function upload({ client, market, done }: Context): Promise<void> {
  const bytes = randomBytes(40 * 16 * 1024);
  await send(
    client,
    `/games/${market.gameId}/builds`,
    market.owner.key,
    bytes,
    { filename: "build.zip", sha256: sha256(bytes) },
    40,
    100,
  );
  done.builds.push(sha256(bytes));
}

/** Uploads in pieces, and asks after each failure how far the server came. */
async function send(
  client: Client,
  path: string,
  key: string,
  bytes: Buffer,
  metadata: Record<string, string>,
  pieces: number,
  pauseMs = 0,
): Promise<void> {
  const headers = { ...tus, "upload-length": String(bytes.length), "upload-metadata": metadataHeader(metadata) };
  const url = (await client.insist(`POST ${path}`, { key, headers })).headers.get("location")!;
  const size = Math.ceil(bytes.length / pieces);
  for (let offset = 0, latest = Date.now() + uploadMs; offset < bytes.length; ) {
    if (Date.now() > latest) throw new Error(`${url} stayed at ${offset} for ${uploadMs / 1000} s`);
    const body = bytes.subarray(offset, offset + size);
    const sent = { key, body, headers: { ...octets, "upload-offset": String(offset) } };
    const reply = (await client.ask(`PATCH ${url}`, sent)) ?? (await client.ask(`HEAD ${url}`, { key, headers: tus }));
    const now = Number(reply?.headers.get("upload-offset") ?? offset);
    if (now > offset) latest = Date.now() + uploadMs;
    offset = now;
    await sleep(reply ? pauseMs : retryMs);
  }
}

/** Somebody registers, looks around and deletes the account. */
async function comeAndGo({ client, market, done }: Context): Promise<void> {
  const someone = await register(client, market.adminKey, "playtester", `guest-${randomBytes(4).toString("hex")}`);
  for (const path of testerReads) await client.ask(`GET ${path}`, { key: someone.key });
  // With the account goes its key, so nobody can ask again whether a deletion whose reply was cut off was made.
  await client.insist("POST /auth/delete-account", { key: someone.key, body: { password }, madeBefore: 401 });
  done.deleted.push(someone.id);
  await sleep(300);
}

/** Messages to somebody whose video was accepted, and settings of emails. */
async function talk({ client, market, done }: Context): Promise<void> {
  const { key } = market.owner;
  const contacts = await client.ask("GET /chat/contacts", { key });
  const contact = contacts?.data.contacts.find(({ isUnlocked }: { isUnlocked: boolean }) => isUnlocked);
  if (contact === undefined) return;
  const { data } = await client.insist("POST /chat/conversations", { key, body: { contactId: contact.id } });
  const path = `/chat/conversations/${data.conversation.id}/messages`;
  const sent = await client.insist(`POST ${path}`, { key, body: { content: "How was it?" } });
  done.messages.push(sent.data.message.id);
  await client.insist("PATCH /notifications/settings", { key, body: { kinds: ["credit.low"], mail: "off" } });
  await sleep(300);
}

/** Follows the events of the owner, and goes on after the last one wherever the stream ends. */
function follow({ client, market, done, faults }: Context) {
  let last: string | undefined;
  let isOver = false;
  let stream: Listening | undefined;
  void (async () => {
    while (!isOver) {
      const { phase } = client;
      const failed = (outcome: string) => client.failed("GET /events (stream)", outcome, phase);
      try {
        const headers = { authorization: `Bearer ${market.owner.key}`, ...(last && { "last-event-id": last }) };
        stream = await listenTo(`${client.baseUrl}/api/v1/events`, headers);
        if (stream.response.status !== 200) failed(String(stream.response.status));
        for (let heard = await stream.next(); heard; heard = await stream.next()) {
          last = heard.id;
          if (heard.data) done.streamed.push(heard.id);
        }
      } catch (error) {
        if (!isOver) failed(`no reply: ${inWords(error)}`);
      }
      await sleep(retryMs);
    }
  })();
  return {
    async until(id: string): Promise<void> {
      const latest = Date.now() + streamMs;
      const isThere = () => last === id || done.streamed.includes(id);
      while (!isThere() && Date.now() < latest) await sleep(retryMs);
      if (!isThere()) faults.push(`the stream did not send the newest event within ${streamMs / 1000} s`);
      isOver = true;
      stream?.close();
    },
  };
}
