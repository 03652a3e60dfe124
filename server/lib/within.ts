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

/**
 * Runs `work` every `ms` milliseconds of real time, never twice at once, until the signal aborts. Keeps no process running. `work` handles
 * its own errors.
 */
export function every(ms: number, signal: AbortSignal, work: () => Promise<void>): void {
  let isRunning = false;
  const timer = setInterval(async () => {
    if (isRunning) return;
    isRunning = true;
    await work();
    isRunning = false;
  }, ms).unref();
  signal.addEventListener("abort", () => clearInterval(timer));
}
