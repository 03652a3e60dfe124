import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type OpenOptions, openStore } from "../../../server/database/open.ts";
import type { Query } from "../../../server/database/port.ts";
import type * as webhookStore from "../../../server/events/webhooks/store.ts";
import * as jobs from "../../../server/jobs/store.ts";
import { createIds } from "../../../server/lib/ids.ts";
import { insertRows } from "../../helpers/raw-rows.ts";
import { median } from "../measure.ts";
import { type Served, serveIn, servePeer } from "../serve.ts";
import { seconds } from "./run.ts";

/** Webhooks of one owner, each with a receiver: a process sends to 32 at a time, so that there is work for four. */
const receivers = 100;
/** Of each receiver, in one run. */
const each = 2 * seconds;
const rounds = 3;

export interface Counts {
  received: number[];
  /** Deliveries that came to a receiver that had them. */
  repeated: number;
  /** Milliseconds since the epoch. */
  firstAt: number;
  lastAt: number;
}

export type Control = <T>(path: string) => Promise<T>;

export async function startReceivers(count: number) {
  const peer = await servePeer("peers/receivers.ts", [String(count)]);
  const control: Control = async (path) => (await fetch(peer.baseUrl + path)).json() as never;
  return { control, ports: await control<number[]>("/ports"), stop: peer.stop };
}

/** One webhook per receiver, made through the API as its owner would. */
export async function register(
  { baseUrl, ownerKey }: Pick<Served, "baseUrl" | "ownerKey">,
  ports: readonly number[],
): Promise<void> {
  for (const port of ports) {
    const reply = await fetch(`${baseUrl}/api/v1/webhooks`, {
      method: "POST",
      headers: { authorization: `Bearer ${ownerKey}`, "content-type": "application/json" },
      body: JSON.stringify({ url: `http://127.0.0.1:${port}/hook`, events: ["*"] }),
    });
    if (reply.status !== 201) throw new Error(await reply.text());
  }
}

const newId = createIds(Date.now, (count) => randomBytes(count));

/** Replaces all deliveries by so many for each webhook, due now. */
export async function queue(location: OpenOptions, count: number): Promise<void> {
  const store = await openStore(location);
  await store.write((tx) => fill(tx, count, Date.now()));
  await store.close();
}

async function fill(tx: Query, count: number, now: number): Promise<void> {
  await tx.run("DELETE FROM webhook_attempts");
  await tx.run("DELETE FROM webhook_deliveries");
  await tx.run("DELETE FROM jobs WHERE kind = 'deliver-webhook'");
  await tx.run("UPDATE webhooks SET is_active = 1, failure_count = 0");
  const all = await tx.all<webhookStore.WebhookRow>("SELECT * FROM webhooks ORDER BY id");
  for (let index = 0; index < count; index++) {
    const event = { id: newId(), account_id: all[0]!.owner_id, kind: "slot.submitted", data: '{"slotId":"x"}', created_at: now };
    await insertRows(tx, "events", [event]);
    const about = { event_id: event.id, event: event.kind, state: "pending", created_at: now } as const;
    const none = { status_code: null, attempt_count: 0, round_start: 0, delivered_at: null, last_error: null };
    const rows = all.map(({ id, host }) => ({ id: newId(), webhook_id: id, host, ...about, ...none, next_retry_at: now }));
    await insertRows(tx, "webhook_deliveries", rows);
  }
  for (const { host } of all)
    await jobs.add(tx, {
      id: newId(),
      kind: "deliver-webhook",
      key: `deliver-webhook:${host}`,
      payload: { host },
      runAt: now,
      now,
    });
}

/** Waits until each receiver but the first `hostile` ones has as many. */
export async function arrived(control: Control, count: number, hostile = 0): Promise<Counts> {
  for (;;) {
    const counts = await control<Counts>("/counts");
    if (counts.received.slice(hostile).every((got) => got >= count)) return counts;
    await sleep(20);
  }
}

/** Deliveries a second of 1, 2, … processes of a sandbox on one PostgreSQL, which must send each delivery once. */
export async function deliveriesOf(processes: readonly number[], databaseUrl: string): Promise<number[]> {
  const dataDir = mkdtempSync(join(tmpdir(), "playtest-bench-"));
  const peer = await startReceivers(receivers);
  const servers: Served[] = [];
  const rates: number[] = [];
  try {
    for (const count of processes) {
      while (servers.length < count) {
        const seed = servers.length === 0 ? ["--seed", "minimal"] : [];
        servers.push(await serveIn(dataDir, ["--sandbox", ...seed, "--database-url", databaseUrl]));
      }
      if (rates.length === 0) await register(servers[0]!, peer.ports);
      const runs: number[] = [];
      for (let round = 0; round <= rounds; round++) runs.push(await deliver(peer.control, databaseUrl));
      rates.push(median(runs.slice(1)));
    }
    return rates;
  } finally {
    for (const served of servers) await served.stop();
    await peer.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function deliver(control: Control, databaseUrl: string): Promise<number> {
  await control("/reset");
  await queue({ databaseUrl }, each);
  const { firstAt, lastAt } = await arrived(control, each);
  await recorded(databaseUrl);
  const { received, repeated } = await control<Counts>("/counts");
  if (repeated > 0 || received.some((count) => count !== each))
    throw new Error(`${repeated} deliveries were sent twice; the receivers got ${received}`);
  return (receivers * each) / ((lastAt - firstAt) / 1000);
}

/** Waits until nothing is left to send. */
async function recorded(databaseUrl: string): Promise<void> {
  const store = await openStore({ databaseUrl });
  const isLeft = (q: Query) => q.one("SELECT 1 FROM jobs WHERE kind = 'deliver-webhook' LIMIT 1");
  while (await store.read(isLeft)) await sleep(20);
  await store.close();
}
