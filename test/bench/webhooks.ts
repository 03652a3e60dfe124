import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openStore } from "../../server/database/open.ts";
import * as events from "../../server/events/store.ts";
import * as webhookStore from "../../server/events/webhooks/store.ts";
import * as jobs from "../../server/jobs/store.ts";
import { createIds } from "../../server/lib/ids.ts";
import { load } from "./load.ts";
import { type Figure, inTurn, median } from "./measure.ts";
import { servePeer } from "./serve.ts";

const deliveries = 10_000;
const receivers = 10;
const inFlight = 20;
const body = JSON.stringify({ event: "slot.submitted", timestamp: new Date(0).toISOString(), data: { slotId: "x".repeat(36) } });

interface Counts {
  received: number[];
  /** Milliseconds since the epoch. */
  firstAt: number;
  lastAt: number;
}

/** `webhooks`: 10,000 queued deliveries to ten local receivers, against a plain HTTP load on them; and with two that hang. */
export async function webhooks(): Promise<Figure[]> {
  const peer = await servePeer("peers/receivers.ts", []);
  const dataDir = mkdtempSync(join(tmpdir(), "playtest-bench-"));
  const control = async <T>(path: string) => (await (await fetch(peer.baseUrl + path)).json()) as T;
  try {
    const ports = await control<number[]>("/ports");
    const ownerKey = await register(dataDir, ports);
    await queue(dataDir);
    const server = await serve(dataDir, ["--rate-limit", "off"]);
    await arrived(control, 0);
    const rates = await inTurn(
      [
        { name: "plain", run: () => plain(ports, control) },
        { name: "deliveries", run: () => replay(server.baseUrl, ownerKey, control) },
      ],
      5,
    );
    await server.stop();
    const [ours, bare] = [rates.get("deliveries")!, rates.get("plain")!];
    const free: number[] = [];
    const hindered: number[] = [];
    for (let round = 0; round < 3; round++) {
      free.push(await deliver(dataDir, 0, control));
      hindered.push(await deliver(dataDir, 2, control));
    }
    const delay = median(hindered) / median(free);
    return [
      {
        name: "webhooks",
        what: "10,000 deliveries to ten receivers against a plain HTTP load",
        ratio: ours / bare,
        goal: "≥ 0.5×",
        met: ours / bare >= 0.5,
        raw: `${Math.round(ours)} / ${Math.round(bare)} a second`,
      },
      {
        name: "webhooks",
        what: "time of eight receivers' 8,000 when the other two hang, against none hanging",
        ratio: delay,
        goal: "≤ 1.1×",
        met: delay <= 1.1,
        raw: `${Math.round(median(hindered))} / ${Math.round(median(free))} ms`,
      },
    ];
  } finally {
    await peer.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

type Control = <T>(path: string) => Promise<T>;

async function plain(ports: readonly number[], control: Control): Promise<number> {
  await control("/reset");
  const each = ports.map((port) =>
    load(`http://127.0.0.1:${port}`, {
      connections: inFlight / receivers,
      count: deliveries / receivers,
      make: () => ({ method: "POST", path: "/hook", headers: { "content-type": "application/json" }, body }),
    }),
  );
  const started = performance.now();
  await Promise.all(each);
  return deliveries / ((performance.now() - started) / 1000);
}

/** One webhook per receiver, made through the API as its owner would. */
async function register(dataDir: string, ports: readonly number[]): Promise<string> {
  const server = await serve(dataDir, ["--seed", "minimal"]);
  for (const port of ports) {
    const reply = await fetch(`${server.baseUrl}/api/v1/webhooks`, {
      method: "POST",
      headers: { authorization: `Bearer ${server.ownerKey}`, "content-type": "application/json" },
      body: JSON.stringify({ url: `http://127.0.0.1:${port}/hook`, events: ["*"] }),
    });
    if (reply.status !== 201) throw new Error(await reply.text());
  }
  await server.stop();
  return server.ownerKey;
}

/** A running server delivers once more what each webhook was ever sent; deliveries a second, from the first to the last. */
async function replay(baseUrl: string, ownerKey: string, control: Control): Promise<number> {
  await control("/reset");
  const headers = { authorization: `Bearer ${ownerKey}`, "content-type": "application/json" };
  const listed = await fetch(`${baseUrl}/api/v1/webhooks`, { headers });
  const { webhooks: all } = ((await listed.json()) as { data: { webhooks: { id: string }[] } }).data;
  const body = JSON.stringify({ since: new Date(0).toISOString() });
  // At once: one after the other they would rewrite the table ten times within what is measured.
  await Promise.all(all.map(({ id }) => fetch(`${baseUrl}/api/v1/webhooks/${id}/redeliver`, { method: "POST", headers, body })));
  return deliveries / ((await arrived(control, 0)) / 1000);
}

/** Waits until each receiver but the hostile ones has all; milliseconds from the first to the last. */
async function arrived(control: Control, hostile: number): Promise<number> {
  for (;;) {
    const { received, firstAt, lastAt } = await control<Counts>("/counts");
    if (received.slice(hostile).every((count) => count >= deliveries / receivers)) return lastAt - firstAt;
    await sleep(20);
  }
}

/** Queues while no server runs, as a restart finds it; how long the receivers that answer took to get theirs. */
async function deliver(dataDir: string, hostile: number, control: Control): Promise<number> {
  await control(`/reset?hostile=${hostile}`);
  await queue(dataDir);
  const server = await serve(dataDir, []);
  const othersMs = await arrived(control, hostile);
  await server.stop();
  return othersMs;
}

async function queue(dataDir: string): Promise<void> {
  const store = await openStore({ dataDir });
  const newId = createIds(Date.now, (count) => randomBytes(count));
  const now = Date.now();
  await store.write(async (tx) => {
    await tx.run("DELETE FROM webhook_attempts");
    await tx.run("DELETE FROM webhook_deliveries");
    await tx.run("DELETE FROM jobs WHERE kind = 'deliver-webhook'");
    await tx.run("UPDATE webhooks SET is_active = 1, failure_count = 0");
    const all = await tx.all<webhookStore.WebhookRow>("SELECT * FROM webhooks ORDER BY id");
    for (let index = 0; index < deliveries / all.length; index++) {
      const event = {
        id: newId(),
        account_id: all[0]!.owner_id,
        kind: "slot.submitted",
        data: '{"slotId":"x"}',
        created_at: now,
      } as const;
      await events.insert(tx, [event]);
      for (const { id: webhook_id, host } of all) {
        const about = { webhook_id, host, event_id: event.id, event: event.kind, state: "pending", created_at: now } as const;
        const none = { status_code: null, attempt_count: 0, round_start: 0, delivered_at: null, last_error: null };
        await webhookStore.insertDelivery(tx, { id: newId(), ...about, ...none, next_retry_at: now });
        await jobs.add(tx, {
          id: newId(),
          kind: "deliver-webhook",
          key: `deliver-webhook:${host}`,
          payload: { host },
          runAt: now,
          now,
        });
      }
    }
  });
  await store.close();
}

async function serve(dataDir: string, flags: string[]) {
  const readyFile = join(dataDir, "ready.json");
  rmSync(readyFile, { force: true });
  const cli = join(import.meta.dirname, "../../bin/playtest.js");
  const args = [cli, "serve", "run", "--sandbox", "--port", "0", "--data", dataDir, "--ready-file", readyFile, ...flags];
  const child = spawn(process.execPath, args, {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, NODE_ENV: "production" },
  });
  while (!existsSync(readyFile)) {
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode} before it was ready`);
    await sleep(5);
  }
  const { baseUrl, ownerKey } = JSON.parse(readFileSync(readyFile, "utf8")) as { baseUrl: string; ownerKey: string };
  return { baseUrl, ownerKey, stop: () => stop(child) };
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  await ended;
}
