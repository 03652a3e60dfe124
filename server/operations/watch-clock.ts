import type { Store } from "../database/port.ts";
import type { Log } from "../lib/log.ts";

const everyMs = 60_000;

interface Watched {
  store: Store;
  log: Log;
  /** The time (ms) of this machine. */
  now(): number;
}

/**
 * Logs when this machine's clock differs from the database's by more than the readiness check allows. Leases are measured by the
 * database, but deadlines and links by this machine. Returns a function that stops it.
 */
export function watchClock({ store, log, now }: Watched): () => void {
  let wasWrong = false;

  async function look(): Promise<void> {
    const clock = (await store.check({ now: now() })).find(({ name }) => name === "clock");
    if (!clock) return;
    if (!clock.ok && !wasWrong)
      log.warn({ clock: clock.detail }, "the clocks of this machine and of the database differ: set both by NTP");
    wasWrong = !clock.ok;
  }

  const timer = setInterval(() => void look(), everyMs).unref();
  void look();
  return () => clearInterval(timer);
}
