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
