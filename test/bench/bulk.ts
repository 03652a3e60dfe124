import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { peakMemory, playtest } from "./command.ts";
import { load } from "./load.ts";
import { type Figure, inTurn } from "./measure.ts";
import { grantCredit } from "./order.ts";
import { type Served, serveDemo } from "./serve.ts";

const rows = 10_000;
/** What `playtests bulk` does when it is not told otherwise. */
const concurrency = 8;
const memoryGoal = 150 * 2 ** 20;

/** `bulk`: a file of 10,000 orders, against a plain HTTP load of the same requests at the same concurrency. */
export async function bulk(): Promise<Figure[]> {
  const served = await serveDemo();
  try {
    // Six rounds of both.
    for (let grant = 0; grant < 190; grant++) await grantCredit(served, 1_000_000);
    const file = join(served.dataDir, "orders.csv");
    writeFileSync(file, `game,durationMinutes,ref\n${lines(served.gameId)}`);
    const peaks: number[] = [];
    let batch = 0;
    const times = await inTurn([
      { name: "plain", run: () => plain(served, batch) },
      {
        name: "bulk",
        run: async () => {
          const args = [
            "playtests",
            "bulk",
            file,
            "--yes",
            "--batch",
            `batch-${batch++}`,
            "--journal",
            `${file}.${batch}`,
            "--json",
          ];
          const ran = await playtest(served, served.ownerKey, args);
          peaks.push(ran.peakMemory);
          return ran.seconds;
        },
      },
    ]);
    const [ours, plainly] = [times.get("bulk")!, times.get("plain")!];
    const peak = Math.max(...peaks);
    const mib = (bytes: number) => `${(bytes / 2 ** 20).toFixed(0)} MiB`;
    return [
      {
        name: "bulk",
        what: "10,000 rows against a plain load of the same requests",
        ratio: ours / plainly,
        goal: "≤ 1.5×",
        met: ours / plainly <= 1.5,
        raw: `${ours.toFixed(1)} / ${plainly.toFixed(1)} s`,
      },
      {
        name: "bulk",
        what: "memory of the command, at most",
        ratio: peak / memoryGoal,
        goal: "≤ 150 MiB",
        met: peak <= memoryGoal,
        raw: `${mib(peak)}; server ${mib(peakMemory(served.pid) ?? 0)}`,
      },
    ];
  } finally {
    await served.stop();
  }
}

const lines = (gameId: string) => Array.from({ length: rows }, (_, index) => `${gameId},30,row-${index}\n`).join("");

async function plain(served: Served, round: number): Promise<number> {
  const common = { authorization: `Bearer ${served.ownerKey}`, "content-type": "application/json" };
  const started = performance.now();
  const { statuses } = await load(served.baseUrl, {
    connections: concurrency,
    count: rows,
    make: (index) => ({
      method: "POST",
      path: `/api/v1/games/${served.gameId}/playtests`,
      headers: { ...common, "idempotency-key": `plain-${round}-${index}` },
      body: '{"durationMinutes":30}',
    }),
  });
  if (statuses[201] !== rows) throw new Error(`orders: ${JSON.stringify(statuses)}`);
  return (performance.now() - started) / 1000;
}
