import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { killLeftovers, readyFile, spawnPlaytest } from "../helpers/process.ts";
import { type Receiver, startReceiver, status } from "../helpers/receiver.ts";
import { createTestRandom } from "../helpers/server.ts";
import { freshFolder } from "../helpers/store.ts";

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

async function start(round: number, flags: string[] = []) {
  const file = join(folder, `ready-${round}.json`);
  const fixed = [
    "--sandbox",
    "--port",
    "0",
    "--data",
    folder,
    "--ready-file",
    file,
    "--rate-limit",
    "off",
    "--log-level",
    "error",
  ];
  const { child, ended } = spawnPlaytest(folder, ["serve", "run", ...fixed, ...flags]);
  return { ...(await readyFile(file)), child, ended };
}

const post = async (baseUrl: string, key: string, path: string, body: unknown) => {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const reply = await fetch(`${baseUrl}/api/v1${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  return (await reply.json()) as { data: { event: { id: string } } };
};

/** Causes events until the server is gone; the ids it acknowledged. */
async function causeUntilGone(baseUrl: string, key: string): Promise<string[]> {
  const acknowledged: string[] = [];
  for (;;) {
    const reply = await post(baseUrl, key, "/sandbox/events", { event: "slot.submitted" }).catch(() => undefined);
    if (!reply) return acknowledged;
    acknowledged.push(reply.data.event.id);
  }
}

it(`delivers every acknowledged event although the server is killed again and again (${rounds} rounds, seed ${seed})`, async () => {
  const random = createTestRandom(seed);
  let server = await start(0, ["--seed", "demo"]);
  const key = server.ownerKey!;
  await post(server.baseUrl, key, "/webhooks", { url: receiver.url, events: ["*"] });
  const acknowledged: string[] = [];

  for (let round = 1; round <= rounds; round++) {
    // In odd rounds nothing gets through before the kill, in even ones it strikes between sending and noting.
    receiver.answer(round % 2 === 1 ? () => {} : status(200));
    const work = Array.from({ length: clients }, () => causeUntilGone(server.baseUrl, key));
    const { child } = server;
    setTimeout(() => child.kill("SIGKILL"), 50 + (random(2).readUInt16BE() % 300));
    acknowledged.push(...(await Promise.all(work)).flat());
    await server.ended;
    server = await start(round);
  }

  expect(acknowledged.length).toBeGreaterThan(rounds);
  receiver.answer(status(200));
  const missing = () => {
    const arrived = new Set(receiver.received.map(({ headers }) => headers["webhook-id"]));
    return acknowledged.filter((id) => !arrived.has(id));
  };
  await vi.waitFor(() => expect(missing()).toEqual([]), { timeout: 30_000, interval: 200 });
}, 120_000);
