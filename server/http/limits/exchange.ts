import type { Deps } from "../../app/deps.ts";
import { every } from "../../lib/within.ts";
import * as store from "./store.ts";

/** How often processes tell each other of requests (ms). A caller can use one burst in each process before they do. */
const everyMs = 1_000;
/** The most callers of whom one transaction tells. */
const most = 500;

/**
 * Tells the other processes on the database of the callers with many requests to this one, and learns of their requests to all of them.
 * The database knows a caller by a keyed hash.
 */
export async function exchangeLimits(deps: Deps): Promise<void> {
  const { limiter } = deps;
  const counts = [...limiter.untold()].slice(0, most);
  if (counts.length === 0) return;
  const told = counts.map(([caller, count]) => ({ caller, count, hash: deps.secrets.mac("rate limits", caller) }));
  // All processes lock the rows in one order, so that they do not wait for each other in a circle.
  told.sort((a, b) => (a.hash < b.hash ? -1 : 1));
  const now = deps.clock.real();
  const counted = await deps.store.write((tx) => Promise.all(told.map(({ hash, count }) => store.add(tx, hash, count, now))), {
    isolation: "rows",
  });
  for (const [index, { caller, count }] of told.entries()) limiter.exchanged(caller, count, counted[index]!);
}

/** Exchanges counts each second until the server stops. Does nothing where there is no other process. */
export function startLimitExchange(deps: Deps): void {
  if (!deps.store.shared || !deps.config.limits.enabled) return;
  let failed = false;
  const exchange = async () => {
    try {
      await exchangeLimits(deps);
      failed = false;
    } catch (error) {
      if (!failed) deps.log.warn({ err: error }, "could not tell other processes of requests; until then each limits its own");
      failed = true;
    }
  };
  every(everyMs, deps.draining, exchange);
}
