import { afterEach, beforeEach, expect, it } from "vitest";
import { doctor } from "../../server/operations/doctor.ts";
import { startProcess } from "../helpers/cluster.ts";
import { killLeftovers } from "../helpers/process.ts";
import { createTestRandom } from "../helpers/server.ts";
import { freshFolder } from "../helpers/store.ts";

let folder: string;
beforeEach(() => {
  folder = freshFolder();
});
afterEach(killLeftovers);

const rounds = Number(process.env.PLAYTEST_KILL_ROUNDS ?? 6);
const clients = 16;
const seed = process.env.PLAYTEST_SEED ?? "kill";

interface Attempt {
  key: string;
  /** The reply; undefined when the connection was lost first, so that the outcome is unknown. */
  body: string | undefined;
}

interface Serving {
  baseUrl: string;
  ownerKey: string;
  gameId: string;
}

const post = (to: Serving, key: string) =>
  fetch(`${to.baseUrl}/api/v1/games/${to.gameId}/playtests`, {
    method: "POST",
    headers: { authorization: `Bearer ${to.ownerKey}`, "content-type": "application/json", "idempotency-key": key },
    body: "{}",
  });

/** Sends orders one after the other until the server is gone. Calls `replied` after each reply. */
async function orderUntilGone(to: Serving, name: string, replied: () => void): Promise<Attempt[]> {
  const attempts: Attempt[] = [];
  for (let number = 0; ; number++) {
    const key = `${name}-${number}`;
    try {
      const reply = await post(to, key);
      const body = await reply.text();
      if (reply.status !== 201) throw new Error(`${key}: ${reply.status} ${body}`);
      attempts.push({ key, body });
      replied();
    } catch (error) {
      if (error instanceof Error && error.message.startsWith(key)) throw error;
      attempts.push({ key, body: undefined });
      return attempts;
    }
  }
}

it(
  `orders: none is lost or duplicated when the server is killed while they are sent (${rounds} rounds, seed ${seed})`,
  async () => {
    const random = createTestRandom(seed);
    const first = await startProcess(folder, undefined, ["--seed", "minimal"]);
    const { ownerKey, gameId } = first as Required<typeof first>;
    // One after the other, because the server limits the connections of one address.
    for (let index = 0; index < Math.max(5, rounds); index++) await grant(first.baseUrl, ownerKey, index);
    let server = first;
    const attempts: Attempt[] = [];

    for (let round = 1; round <= rounds; round++) {
      const to = { baseUrl: server.baseUrl, ownerKey, gameId };
      const { child } = server;
      // After a number of replies, not of milliseconds: a busy machine might not have taken an order by then.
      let left = 1 + (random(2).readUInt16BE() % 60);
      const replied = () => {
        if (--left === 0) child.kill("SIGKILL");
      };
      const work = Array.from({ length: clients }, (_, client) => orderUntilGone(to, `${round}-${client}`, replied));
      attempts.push(...(await Promise.all(work)).flat());
      await server.ended;
      server = await startProcess(folder);
    }

    const to = { baseUrl: server.baseUrl, ownerKey, gameId };
    const acknowledged = attempts.filter((attempt) => attempt.body !== undefined);
    expect(acknowledged.length).toBeGreaterThanOrEqual(rounds);
    // Sending every request again, also those with an unknown outcome, must leave exactly one order per key.
    const repeated = new Map<string, string>();
    for (const { key } of attempts) repeated.set(key, await (await post(to, key)).text());
    for (const { key, body } of acknowledged) expect(repeated.get(key)).toBe(body);
    const ids = new Set([...repeated.values()].map((body) => JSON.parse(body).data.playtest.id));
    expect(ids.size).toBe(attempts.length);
    expect(await orderIds(to)).toEqual(ids);

    server.child.kill("SIGTERM");
    expect((await server.ended).code).toBe(0);
    const faults = (await doctor({ data: folder, ledger: true, fix: false, now: Date.now(), env: {} })).filter(
      (check) => !check.ok,
    );
    expect(faults).toEqual([]);
  },
  120_000 + rounds * 10_000,
);

/** $10,000 more credit each, through the sandbox's card checkout. */
async function grant(baseUrl: string, ownerKey: string, index: number): Promise<void> {
  const headers = {
    authorization: `Bearer ${ownerKey}`,
    "content-type": "application/json",
    "idempotency-key": `credit-${index}`,
  };
  const bought = await fetch(`${baseUrl}/api/v1/billing/credit`, {
    method: "POST",
    headers,
    body: JSON.stringify({ amountCents: 1_000_000 }),
  });
  const { paymentId } = ((await bought.json()) as { data: { paymentId: string } }).data;
  const body = JSON.stringify({ outcome: "paid" });
  await fetch(`${baseUrl}/api/v1/sandbox/payments/${paymentId}/complete`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });
}

async function orderIds(to: Serving): Promise<Set<string>> {
  const ids = new Set<string>();
  for (let cursor: string | null = ""; cursor !== null; ) {
    const path = `/api/v1/games/${to.gameId}/playtests?limit=100${cursor === "" ? "" : `&cursor=${cursor}`}`;
    const reply = await fetch(to.baseUrl + path, { headers: { authorization: `Bearer ${to.ownerKey}` } });
    const page = (await reply.json()) as { data: { playtests: { id: string }[] }; meta: { cursor: string | null } };
    for (const { id } of page.data.playtests) ids.add(id);
    cursor = page.meta.cursor;
  }
  return ids;
}
