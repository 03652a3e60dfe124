import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { eventKinds } from "../../src/contract/events/kinds.ts";
import { startProcess } from "../helpers/cluster.ts";
import { killLeftovers } from "../helpers/process.ts";
import { type Receiver, startReceiver, status } from "../helpers/receiver.ts";
import { createTestRandom } from "../helpers/server.ts";
import { drivers, freshFolder } from "../helpers/store.ts";

const rounds = Number(process.env.PLAYTEST_KILL_ROUNDS ?? 4);
const clients = 8;
const seed = process.env.PLAYTEST_SEED ?? "webhooks";

let folder: string;
let receiver: Receiver;

beforeEach(async () => {
  folder = freshFolder();
  receiver = await startReceiver();
});
afterEach(async () => {
  await killLeftovers();
  await receiver.close();
});

const post = async (baseUrl: string, key: string, path: string, body: unknown) => {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const reply = await fetch(`${baseUrl}/api/v1${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  return (await reply.json()) as { data: { event: { id: string } } };
};

/** Emits events of each kind until the server is gone; returns the ids that it acknowledged. */
async function emitUntilGone(baseUrl: string, key: string): Promise<string[]> {
  const acknowledged: string[] = [];
  for (let number = 0; ; number++) {
    const event = eventKinds[number % eventKinds.length];
    const reply = await post(baseUrl, key, "/sandbox/events", { event }).catch(() => undefined);
    if (!reply) return acknowledged;
    acknowledged.push(reply.data.event.id);
  }
}

const ask = (baseUrl: string, path: string, body: object) => {
  const headers = { "content-type": "application/json" };
  return fetch(`${baseUrl}/api/v1${path}`, { method: "POST", headers, body: JSON.stringify(body) });
};

/** Requests as many mails as one account gets in an hour, or until the server is gone; returns how many were accepted. */
async function requestMailsUntilGone(baseUrl: string, email: string, onFirst: () => void): Promise<number> {
  for (let accepted = 0; ; accepted++) {
    if (accepted === 1) onFirst();
    const reply = accepted < 5 ? await ask(baseUrl, "/auth/password-reset", { email }).catch(() => undefined) : undefined;
    if (!reply?.ok) return accepted;
    await reply.text().catch(() => {});
  }
}

const get = async (baseUrl: string, key: string, path: string) => {
  const reply = await fetch(`${baseUrl}/api/v1${path}`, { headers: { authorization: `Bearer ${key}` } });
  return (await reply.json()) as { data: never; meta: { cursor: string | null; totalCount?: number } };
};

/** All pages of a list. */
async function all<T>(baseUrl: string, key: string, name: string): Promise<T[]> {
  const items: T[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const { data, meta } = await get(baseUrl, key, `/${name}?limit=100${cursor && `&cursor=${cursor}`}`);
    items.push(...(data as Record<string, T[]>)[name]!);
    cursor = meta.cursor;
  }
  return items;
}

it(`webhooks: every acknowledged event is delivered although the server is killed repeatedly (${rounds} rounds, seed ${seed})`, async () => {
  const random = createTestRandom(seed);
  let server = await startProcess(folder, undefined, ["--seed", "minimal"]);
  const key = server.ownerKey!;
  await post(server.baseUrl, key, "/webhooks", { url: receiver.url, events: ["*"] });
  const acknowledged: string[] = [];
  let accepted = 0;

  for (let round = 1; round <= rounds; round++) {
    const email = `writer${round}@example.com`;
    await ask(server.baseUrl, "/auth/register", { email, password: "correct horse", role: "game_owner" });
    // In odd rounds no delivery is answered before the kill, in even ones the kill comes between an answer and its recording.
    receiver.answer(round % 2 === 1 ? () => {} : status(200));
    const work = Array.from({ length: clients }, () => emitUntilGone(server.baseUrl, key));
    const { child } = server;
    // Not before the first mail, whatever else the machine does.
    const kill = () => setTimeout(() => child.kill("SIGKILL"), random(2).readUInt16BE() % 300);
    accepted += await requestMailsUntilGone(server.baseUrl, email, kill);
    acknowledged.push(...(await Promise.all(work)).flat());
    await server.ended;
    server = await startProcess(folder);
  }

  expect(acknowledged.length).toBeGreaterThan(rounds);
  receiver.answer(status(200));
  const missing = () => {
    const arrived = new Set(receiver.received.map(({ headers }) => headers["webhook-id"]));
    return acknowledged.filter((id) => !arrived.has(id));
  };
  await vi.waitFor(() => expect(missing()).toEqual([]), { timeout: 60_000, interval: 200 });
  const logged = new Set((await all<{ id: string }>(server.baseUrl, key, "events")).map(({ id }) => id));
  expect(acknowledged.filter((id) => !logged.has(id))).toEqual([]);
  expect((await all(server.baseUrl, key, "notifications")).length).toBeGreaterThanOrEqual(acknowledged.length);
  expect(accepted).toBeGreaterThan(0);
  const outbox = join(folder, "outbox");
  const sent = () => readdirSync(outbox).filter((file) => /Reset your password/.test(readFileSync(join(outbox, file), "utf8")));
  await vi.waitFor(() => expect(sent().length).toBeGreaterThanOrEqual(accepted), { timeout: 60_000, interval: 200 });
}, 300_000);

it("webhooks: two processes on one PostgreSQL deliver each event once, and one takes over when the other is killed", async () => {
  const location = await drivers.find(({ name }) => name === "postgres")!.location();
  // Long enough for a process that a busy machine stalls, which would rightly lose a shorter lease and deliver twice.
  writeFileSync(join(folder, "config.json"), JSON.stringify({ jobs: { leaseMs: 10_000 } }));
  const first = await startProcess(folder, location, ["--seed", "minimal"]);
  const key = first.ownerKey!;
  const others = [await startReceiver(), await startReceiver()];
  const receivers = [receiver, ...others];
  for (const { url } of receivers) await post(first.baseUrl, key, "/webhooks", { url, events: ["*"] });
  const emit = async (baseUrl: string) =>
    (await post(baseUrl, key, "/sandbox/events", { event: "slot.submitted" })).data.event.id;
  const idsOf = ({ received }: Receiver) => received.map(({ headers }) => String(headers["webhook-id"])).sort();

  const second = await startProcess(folder, location);
  const ids = await Promise.all(Array.from({ length: 40 }, (_, n) => emit([first, second][n % 2]!.baseUrl)));
  await Promise.all(receivers.map((one) => one.until(40)));
  for (const one of receivers) expect(idsOf(one)).toEqual([...ids].sort());
  second.child.kill("SIGTERM");
  await second.ended;

  // All deliveries that are due are leased by the first process, which gets no answers; the other one has to wait.
  for (const one of receivers) one.answer(() => {});
  for (let count = 0; count < 10; count++) ids.push(await emit(first.baseUrl));
  await Promise.all(receivers.map((one) => one.until(42)));
  const third = await startProcess(folder, location);
  for (let count = 0; count < 10; count++) ids.push(await emit(third.baseUrl));
  for (const one of receivers) one.answer(status(200));
  first.child.kill("SIGKILL");
  await first.ended;
  const missing = () => receivers.flatMap((one) => ids.filter((id) => !idsOf(one).includes(id)));
  await vi.waitFor(() => expect(missing()).toEqual([]), { timeout: 60_000, interval: 100 });

  third.child.kill("SIGTERM");
  await third.ended;
  await Promise.all(others.map((one) => one.close()));
  await location.remove();
}, 600_000);
