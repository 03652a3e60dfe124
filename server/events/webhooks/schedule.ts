const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** Delay before the 1st, 2nd, … attempt: short at first, for an endpoint that restarts, then long, for one that somebody has to fix. */
export const waitsMs = [0, 5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 10 * hour];

/** How many failed attempts in a row disable a webhook. */
export const failuresToDisable = 10;

/**
 * When to retry after `attempts` failed attempts, in ms: after the delay of the schedule ±20 %, or after `retryAfterMs` (from the
 * `Retry-After` header) if that is longer, at most an hour or twice the scheduled delay. Null when no attempts are left. `random` is
 * from 0 to 1.
 */
export function nextAttemptAt(attempts: number, now: number, random: number, retryAfterMs = 0): number | null {
  const wait = waitsMs[attempts];
  if (wait === undefined) return null;
  const jittered = wait * (0.8 + 0.4 * random);
  const asked = Math.min(retryAfterMs, Math.max(hour, 2 * wait));
  return now + Math.round(Math.max(jittered, asked));
}

/** The delay that a `Retry-After` header requests, in ms. The header has seconds, or a date, which is compared with `realNow`. 0 without one. */
export function retryAfterMs(header: string | undefined, realNow: number): number {
  // Stryker disable next-line ConditionalExpression: without a header there is no date either.
  if (header === undefined) return 0;
  if (/^\d{1,9}$/.test(header)) return Number(header) * second;
  const date = Date.parse(header);
  return Number.isNaN(date) ? 0 : Math.max(0, date - realNow);
}
