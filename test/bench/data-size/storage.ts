import { rmSync } from "node:fs";
import { join } from "node:path";
import { Database } from "../../helpers/sqlite.ts";
import type { Figure } from "../measure.ts";
import { api, grantCredit } from "../order.ts";
import { type Served, serveDemo } from "../serve.ts";
import { cpuTime } from "../sustained/run.ts";

const slots = 300;
const rounds = 4;

/**
 * `storage`: what SQLite's file grows by with each step of a slot from its order to its review, videos aside, and the server's CPU time, one
 * request at a time. The capacity plan uses it.
 */
export async function storage(): Promise<Figure[]> {
  const served = await serveDemo(["--rate-limit", "off"]);
  try {
    for (let grant = 0; grant < 60; grant++) await grantCredit(served, 1_000_000);
    await api(served, "", "POST", "/sandbox/testers", { count: 64 });
    let figures: Figure[] = [];
    // The first rounds fill pages that the empty tables have already, and warm the compiler up.
    for (let round = 0; round < rounds; round++) figures = await grow(served);
    return figures;
  } finally {
    await served.stop();
    rmSync(served.dataDir, { recursive: true, force: true });
  }
}

async function grow(served: Served): Promise<Figure[]> {
  const steps: [name: string, bytes: number, cpuMs: number][] = [];
  const step = async (name: string, run: (index: number) => Promise<unknown>) => {
    const [before, cpuBefore] = [bytesOf(served), cpuTime(served.pid)];
    for (let index = 0; index < slots; index++) await run(index);
    steps.push([name, (bytesOf(served) - before) / slots, (cpuTime(served.pid) - cpuBefore) / slots / 1000]);
  };
  const [playtestIds, slotIds]: [string[], string[]] = [[], []];
  await step("an order of one slot", async () => {
    const path = `/games/${served.gameId}/playtests`;
    const { playtest } = (await api(served, served.ownerKey, "POST", path, {})).data as { playtest: { id: string } };
    playtestIds.push(playtest.id);
  });
  for (const id of playtestIds) {
    const { slots: made } = (await api(served, served.ownerKey, "GET", `/playtests/${id}/slots`)).data as {
      slots: { id: string }[];
    };
    slotIds.push(made[0]!.id);
  }
  await step("its claim, upload and submission", (index) =>
    api(served, served.ownerKey, "POST", `/sandbox/slots/${slotIds[index]}/play`, {}),
  );
  await step("its acceptance with a rating", (index) =>
    api(served, served.ownerKey, "POST", `/slots/${slotIds[index]}/accept`, { rating: 5 }),
  );
  const total = steps.reduce((sum, [, bytes]) => sum + bytes, 0);
  const cpuMs = steps.reduce((sum, [, , ms]) => sum + ms, 0);
  return [...steps, ["all of it", total, cpuMs] as const].map(([what, bytes, ms]) => ({
    name: "storage",
    what: `${what}: share of the bytes of a slot`,
    ratio: bytes / total,
    goal: "–",
    met: true,
    raw: `${Math.round(bytes)} bytes, ${ms.toFixed(1)} ms of CPU time`,
  }));
}

function bytesOf({ dataDir }: Served): number {
  const db = new Database(join(dataDir, "playtest.db"), { readonly: true });
  const bytes = Number(db.pragma("page_count", { simple: true })) * Number(db.pragma("page_size", { simple: true }));
  db.close();
  return bytes;
}
