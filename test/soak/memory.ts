import { setImmediate as turn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** After how many calls how much was in use (MiB). */
export interface Sample {
  calls: number;
  heap: number;
  rss: number;
}

const mib = 2 ** 20;

/** What is in use once garbage is gone. */
export async function sample(calls: number): Promise<Sample> {
  for (let times = 0; times < 3; times++) {
    collectGarbage();
    await turn();
  }
  const { heapUsed, rss, external } = process.memoryUsage();
  return { calls, heap: (heapUsed + external) / mib, rss: rss / mib };
}

/** The growth in MiB per 100,000 calls: the slope of the line through the samples of the second half, when caches are full. */
export function slope(samples: readonly Sample[], of: "heap" | "rss"): number {
  const late = samples.slice(Math.floor(samples.length / 2));
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [x, y] = [mean(late.map(({ calls }) => calls)), mean(late.map((one) => one[of]))];
  const above = late.reduce((sum, one) => sum + (one.calls - x) * (one[of] - y), 0);
  const below = late.reduce((sum, { calls }) => sum + (calls - x) ** 2, 0);
  return below === 0 ? 0 : (above / below) * 100_000;
}
