import { setTimeout as pause } from "node:timers/promises";

/** The result of `work`, or `late` when it takes longer than `ms` of real time. Then the work goes on, but its result is ignored. */
export async function within<T>(ms: number, work: Promise<T>, late: T): Promise<T> {
  const over = new AbortController();
  try {
    return await Promise.race([work, pause(ms, late, { signal: over.signal })]);
  } finally {
    over.abort();
  }
}
