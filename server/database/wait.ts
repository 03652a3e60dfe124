import { setTimeout as pause } from "node:timers/promises";
import { type StoreLog, StoreUnavailable } from "./port.ts";

const betweenMs = 500;

export interface Patience {
  /** How long (ms) to wait for a database that does not answer. */
  waitMs: number;
  log: StoreLog;
  /** Ends the wait: then it rejects with the signal's reason. */
  signal: AbortSignal;
  /** Time in milliseconds. */
  now: () => number;
}

/** Opens a database as soon as it answers. Throws what opening it threw last, once the time is over; any other error at once. */
export async function whenAvailable<T>(open: () => Promise<T>, { waitMs, log, signal, now }: Patience): Promise<T> {
  const end = now() + waitMs;
  for (let isFirst = true; ; isFirst = false) {
    try {
      return await open();
    } catch (error) {
      if (!(error instanceof StoreUnavailable) || now() >= end) throw error;
      if (isFirst) log.warn({}, `waiting up to ${Math.ceil(waitMs / 1000)} seconds for the database: ${error.message}`);
      signal.throwIfAborted();
      await pause(betweenMs, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }
}
