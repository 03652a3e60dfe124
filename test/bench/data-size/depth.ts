import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Figure } from "../measure.ts";
import { median } from "../measure.ts";
import { type Served, serveIn } from "../serve.ts";
import { type Listed, populateLists } from "../sustained/population.ts";

const reads = 200;
const limit = 100;

/**
 * `depth`: pages of `games/:id/playtests` of an owner with 1,000,000 slots, against those of an owner with 1,000. An order of somebody
 * else before each read keeps the server from answering out of its memory.
 */
export async function depth(): Promise<Figure[]> {
  const dataDir = mkdtempSync(join(tmpdir(), "playtest-bench-"));
  try {
    const lists = await populateLists(dataDir, { small: 1_000, large: 1_000_000 });
    const served = await serveIn(dataDir, ["--rate-limit", "off"]);
    try {
      return await compare(served, lists);
    } finally {
      await served.stop();
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function compare(served: Served, { small, large, other }: Record<"small" | "large" | "other", Listed>): Promise<Figure[]> {
  const pages = {
    base: [small, ""],
    first: [large, ""],
    last: [large, await lastCursor(served, large)],
  } as const;
  const times: Record<keyof typeof pages, number[]> = { base: [], first: [], last: [] };
  for (let turn = 0; turn < reads; turn++)
    for (const [name, [list, cursor]] of Object.entries(pages)) {
      await fetch(`${served.baseUrl}/api/v1/games/${other.gameId}/playtests`, {
        method: "POST",
        headers: headersOf(other),
        body: "{}",
      });
      const started = performance.now();
      await page(served, list, cursor);
      times[name as keyof typeof pages].push(performance.now() - started);
    }
  const p99 = (values: number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length * 0.99)]!;
  return (["first", "last"] as const).map((name) => {
    const ratio = median(times[name]) / median(times.base);
    const text = (values: number[]) => `${median(values).toFixed(2)} (p99 ${p99(values).toFixed(2)})`;
    return {
      name: "depth",
      what: `${name} page of a game with 1,000,000 slots, against one with 1,000`,
      ratio,
      goal: "≤ 1.3×",
      met: ratio <= 1.3,
      raw: `${text(times[name])} / ${text(times.base)} ms`,
    };
  });
}

const headersOf = ({ key }: Listed) => ({ authorization: `Bearer ${key}`, "content-type": "application/json" });

async function page(served: Served, list: Listed, cursor: string): Promise<string | null> {
  const query = `limit=${limit}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`;
  const reply = await fetch(`${served.baseUrl}/api/v1/games/${list.gameId}/playtests?${query}`, { headers: headersOf(list) });
  const { data, meta } = (await reply.json()) as { data: { playtests: unknown[] }; meta: { cursor: string | null } };
  if (data.playtests.length !== limit) throw new Error(`a page had ${data.playtests.length} playtests, not ${limit}`);
  return meta.cursor;
}

/** The cursor of the page that ends the list. */
async function lastCursor(served: Served, list: Listed): Promise<string> {
  let last = "";
  for (let next = await page(served, list, last); next; next = await page(served, list, last)) last = next;
  return last;
}
