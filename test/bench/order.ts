import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Call, load } from "./load.ts";
import { type Figure, inTurn, median } from "./measure.ts";
import { type Served, serveDemo } from "./serve.ts";
import { writesAgainstByHand } from "./sustained/by-hand.ts";
import type { Population } from "./sustained/population.ts";

const perRun = 3_000;

/** Single durable transactions a second of better-sqlite3, in a process of its own. */
export function singleTransactions(folder: string): number {
  const script = join(import.meta.dirname, "peers/order-work.ts");
  return Number(
    execFileSync(process.execPath, ["--import", "tsx", script, join(folder, "single.db"), String(perRun)], { encoding: "utf8" }),
  );
}

export async function api(
  served: Served,
  key: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status: number; data: never }> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const reply = await fetch(`${served.baseUrl}/api/v1${path}`, {
    method,
    headers,
    body: body === undefined ? null : JSON.stringify(body),
  });
  const { data, error } = (await reply.json()) as { data: never; error?: { message: string } };
  if (error) throw new Error(`${method} ${path}: ${error.message}`);
  return { status: reply.status, data };
}

export async function grantCredit(served: Served, cents: number): Promise<void> {
  const me = (await api(served, served.ownerKey, "GET", "/auth/me")).data as { id: string };
  const reply = await api(served, served.adminKey, "POST", `/admin/users/${me.id}/credit`, {
    amountCents: cents,
    note: "benchmark",
  });
  if (reply.status !== 200 && reply.status !== 201) throw new Error(`could not grant credit: ${reply.status}`);
}

/** `order`: orders paid by credit over 64 connections, each durable before its reply. */
export const order = async (): Promise<Figure[]> => [...(await sustainedOrders()), ...(await againstSingleTransactions())];

/** An order of each game in turn; a prime step visits every game before any game again. */
export const orderOf = ({ games }: Population, index: number): Call => {
  const { id, key } = games[(index * 7919) % games.length]!;
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  return { method: "POST", path: `/api/v1/games/${id}/playtests`, headers, body: "{}" };
};

const sustainedOrders = () =>
  writesAgainstByHand(
    "order",
    "orders by credit of 1,000 owners",
    { testers: 0, playtests: 0 },
    (population) => (index) => orderOf(population, index),
  );

async function againstSingleTransactions(): Promise<Figure[]> {
  const served = await serveDemo();
  const folder = mkdtempSync(join(tmpdir(), "playtest-bench-"));
  try {
    for (let grant = 0; grant < 60; grant++) await grantCredit(served, 1_000_000);
    const headers = { authorization: `Bearer ${served.ownerKey}`, "content-type": "application/json" };
    const spread: number[] = [];
    const rates = await inTurn([
      { name: "single", run: async () => singleTransactions(folder) },
      {
        name: "orders",
        run: async () => {
          const make = () => ({ method: "POST" as const, path: `/api/v1/games/${served.gameId}/playtests`, headers, body: "{}" });
          const result = await load(served.baseUrl, { connections: 64, count: perRun, make });
          if (result.statuses[201] !== perRun) throw new Error(`orders: ${JSON.stringify(result.statuses)}`);
          spread.push(result.p99 / result.p50);
          return result.perSecond;
        },
      },
    ]);
    const [ours, single] = [rates.get("orders")!, rates.get("single")!];
    const tail = median(spread);
    return [
      {
        name: "order",
        what: "orders by credit against single transactions",
        ratio: ours / single,
        goal: "≥ 1.3×",
        met: ours / single >= 1.3,
        raw: `${Math.round(ours)} / ${Math.round(single)} a second`,
      },
      { name: "order", what: "p99 against p50 of an order", ratio: tail, goal: "≤ 10×", met: tail <= 10, raw: "" },
    ];
  } finally {
    await served.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
