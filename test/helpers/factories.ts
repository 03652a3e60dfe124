import { readFileSync } from "node:fs";
import { ensureAdmin } from "../../server/accounts/service.ts";
import { issueInvoice } from "../../server/billing/invoices/service.ts";
import { insert } from "../../server/billing/store.ts";
import { checkLedger } from "../../server/ledger/checks.ts";
import { topUpTransfers } from "../../server/ledger/rules.ts";
import { postAll } from "../../server/ledger/store.ts";
import type { Methods } from "../../src/api/client.ts";
import { operationsOf } from "./operations.ts";
import type { Node, Reply, TestServer } from "./server.ts";

/** Somebody with an API key: every operation as a typed function, and raw HTTP where the reply itself is the subject. */
export interface Person extends Methods {
  key: string;
  id: string;
  get(path: string, headers?: Record<string, string>): Promise<Reply>;
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>;
  patch(path: string, body?: unknown): Promise<Reply>;
  delete(path: string): Promise<Reply>;
}

const counters = new WeakMap<Node, number>();

export function personWith(server: Node, key: string, id: string): Person {
  return {
    ...operationsOf(server, key),
    key,
    id,
    get: (path, headers) => server.request("GET", path, { key, headers }),
    post: (path, body, headers) => server.request("POST", path, { key, body, headers }),
    patch: (path, body) => server.request("PATCH", path, { key, body }),
    delete: (path) => server.request("DELETE", path, { key }),
  };
}

async function register(server: Node, role: "game_owner" | "playtester", name?: string): Promise<Person> {
  const number = (counters.get(server) ?? 0) + 1;
  counters.set(server, number);
  const body = { email: `${role}${number}@example.com`, password: "correct horse", role, name: name ?? `${role}-${number}` };
  const reply = await server.request("POST", "/auth/register/api-key", { body });
  if (reply.status !== 201) throw new Error(`could not register: ${reply.text}`);
  return personWith(server, reply.body.data.apiKey, reply.body.data.user.id);
}

export const registerOwner = (server: Node, name?: string) => register(server, "game_owner", name);
export const registerPlaytester = (server: Node, name?: string) => register(server, "playtester", name);

/** The first administrator. Creates it: once for each server. */
export async function firstAdmin(server: TestServer): Promise<Person> {
  const key = (await ensureAdmin(server.deps))!;
  return personWith(server, key, (await server.request("GET", "/auth/me", { key })).body.data.id);
}

/** An admin that emails reach. */
export async function reachableAdmin(server: TestServer): Promise<Person> {
  const first = await firstAdmin(server);
  const body = { name: "Operator", scopes: ["admin"], email: "operator@example.com" };
  const { admin, apiKey } = (await first.post("/admin/admins", body)).body.data;
  await server.advance(0);
  const [, link, token] = /(http\S+)\?token=(\S+)/.exec(server.mails.pop()!.text)!;
  const confirmed = await fetch(link!, { method: "POST", body: new URLSearchParams({ token: token! }) });
  if (confirmed.status !== 200) throw new Error(`could not confirm the address: ${await confirmed.text()}`);
  return personWith(server, apiKey, admin.id);
}

export async function createGame(owner: Person, fields: Record<string, unknown> = {}): Promise<string> {
  const reply = await owner.post("/games", {
    name: "Lantern Deep",
    buildUrl: "https://example.com/build.zip",
    instructions: "Press start.",
    ...fields,
  });
  return reply.body.data.game.id;
}

/** Credit as a completed top-up leaves it, without going through a checkout. */
export async function giveCredit(server: TestServer, owner: Person, cents: number): Promise<void> {
  const { deps } = server;
  const id = deps.newId();
  const now = deps.clock.now();
  await deps.store.write(async (tx) => {
    const payment = insert(tx, {
      id,
      owner_id: owner.id,
      amount_cents: cents,
      status: "completed",
      provider: "sandbox",
      external_id: `test-${id}`,
      purpose: "credit",
      created_at: now,
      updated_at: now,
      completed_at: now,
    });
    const transfers = topUpTransfers({
      eventKey: `topup:${id}`,
      from: "assets:processor:sandbox",
      ownerId: owner.id,
      paymentId: id,
      cents,
      settles: 0,
    });
    await postAll(tx, transfers);
    await issueInvoice(tx, payment);
  });
}

/** An owner with credit, and a game of theirs. */
export async function ownerWithGame(server: TestServer, cents: number, name?: string, game?: Record<string, unknown>) {
  const owner = await registerOwner(server, name);
  await giveCredit(server, owner, cents);
  return { owner, gameId: await createGame(owner, game) };
}

export async function giveMinutes(server: TestServer, owner: Person, minutes: number): Promise<void> {
  const { deps } = server;
  const postings = [
    { account: "min:issued", amount: minutes },
    { account: `min:balance:${owner.id}`, amount: -minutes },
  ];
  const transfer = {
    eventKey: `admin_grant:${deps.newId()}`,
    asset: "MIN" as const,
    postings,
    ownerId: owner.id,
    note: "for a test",
  };
  await deps.store.write((tx) => postAll(tx, [transfer]));
}

/** An MP4 of one frame that lasts no time. */
const instant = readFileSync(new URL("../fixtures/videos/instant.mp4", import.meta.url));

/** An MP4 of this size, most of which is a gap. It says no length. */
export function videoBytes(size = 4096): Buffer {
  const gap = Buffer.alloc(size - instant.length, 7);
  gap.writeUInt32BE(gap.length);
  gap.write("free", 4, "latin1");
  return Buffer.concat([instant, gap]);
}

const base64 = (text: string) => Buffer.from(text).toString("base64");

/** Uploads a video for a slot, in one request. */
export async function giveVideo(server: Node, slotId: string, playtester: Person, bytes = videoBytes()): Promise<void> {
  const reply = await fetch(`${server.baseUrl}/api/v1/playtester/slots/${slotId}/video`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${playtester.key}`,
      "tus-resumable": "1.0.0",
      "upload-length": String(bytes.length),
      "upload-metadata": `filename ${base64("play.mp4")},filetype ${base64("video/mp4")}`,
      "content-type": "application/offset+octet-stream",
    },
    body: bytes,
  });
  if (reply.status !== 201) throw new Error(`could not upload: ${await reply.text()}`);
}

export async function order(owner: Person, gameId: string, body: Record<string, unknown> = {}): Promise<string> {
  const reply = await owner.post(`/games/${gameId}/playtests`, body);
  if (reply.status !== 201) throw new Error(`could not order: ${reply.text}`);
  return reply.body.data.playtest.id;
}

export async function claim(playtester: Person, playtestId: string): Promise<string> {
  const reply = await playtester.post(`/playtester/playtests/${playtestId}/claim`);
  if (reply.status !== 201) throw new Error(`could not claim: ${reply.text}`);
  return reply.body.data.slot.id;
}

/** Claims and submits a slot; the slot's id. */
export async function play(server: Node, playtester: Person, playtestId: string): Promise<string> {
  const slotId = await claim(playtester, playtestId);
  await giveVideo(server, slotId, playtester);
  const reply = await playtester.post(`/playtester/slots/${slotId}/submit`, { notes: "It was fun." });
  if (reply.status !== 200) throw new Error(`could not submit: ${reply.text}`);
  return slotId;
}

/** What the invariants of the ledger find wrong. */
export async function ledgerFaults(server: TestServer): Promise<string[]> {
  const checks = await server.deps.store.read(checkLedger);
  return checks.filter(({ ok }) => !ok).map(({ name, detail }) => `${name}: ${detail}`);
}
