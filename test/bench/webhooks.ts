import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { load } from "./load.ts";
import { type Figure, inTurn, median } from "./measure.ts";
import { serveIn } from "./serve.ts";
import { arrived, type Control, queue, register, startReceivers } from "./sustained/deliveries.ts";
import { seconds } from "./sustained/run.ts";

const receivers = 10;
/** Deliveries to each receiver: a server that sends 5,000 a second is busy for the seconds of a run. */
const each = 500 * seconds;
const deliveries = receivers * each;
/** To each receiver, when some of them hang. */
const eachOfSome = 1_000;
const inFlight = 20;
const body = JSON.stringify({ event: "slot.submitted", timestamp: new Date(0).toISOString(), data: { slotId: "x".repeat(36) } });

/** `webhooks`: 100,000 deliveries to ten local receivers, against as many plain requests to them; and with two that hang. */
export async function webhooks(): Promise<Figure[]> {
  const { control, ports, stop: end } = await startReceivers(receivers);
  const dataDir = mkdtempSync(join(tmpdir(), "playtest-bench-"));
  try {
    const first = await serveIn(dataDir, ["--sandbox", "--seed", "minimal"]);
    await register(first, ports);
    await first.stop();
    await queue({ dataDir }, each);
    const server = await serveIn(dataDir, ["--sandbox"]);
    await arrived(control, each);
    const rates = await inTurn(
      [
        { name: "plain", run: () => plain(ports, control) },
        { name: "deliveries", run: () => replay(server.baseUrl, first.ownerKey, control) },
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
        what: `${deliveries} deliveries to ten receivers against a plain HTTP load`,
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
    await end();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function plain(ports: readonly number[], control: Control): Promise<number> {
  await control("/reset");
  const loads = ports.map((port) =>
    load(`http://127.0.0.1:${port}`, {
      connections: inFlight / receivers,
      count: each,
      make: () => ({ method: "POST", path: "/hook", headers: { "content-type": "application/json" }, body }),
    }),
  );
  const started = performance.now();
  await Promise.all(loads);
  return deliveries / ((performance.now() - started) / 1000);
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
  const { firstAt, lastAt } = await arrived(control, each);
  return deliveries / ((lastAt - firstAt) / 1000);
}

/** Queues while no server runs, as a restart finds it; how long the receivers that answer took to get theirs. */
async function deliver(dataDir: string, hostile: number, control: Control): Promise<number> {
  await control(`/reset?hostile=${hostile}`);
  await queue({ dataDir }, eachOfSome);
  const server = await serveIn(dataDir, ["--sandbox"]);
  const { firstAt, lastAt } = await arrived(control, eachOfSome, hostile);
  await server.stop();
  return lastAt - firstAt;
}
