const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** Waits before the 1st, 2nd, … attempt: short ones for a receiver that restarts, long ones until somebody repairs it. */
export const waitsMs = [0, 5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 10 * hour];

/** So many failed attempts one after another disable a webhook. */
export const failuresToDisable = 10;

/**
 * When to try again after `attempts` failed ones: the schedule's wait ±20 %, or what the receiver asked for if that is
 * longer, up to an hour or twice the schedule's wait. Null: that was the last attempt. `random` is from 0 to 1.
 */
export function nextAttemptAt(attempts: number, now: number, random: number, retryAfterMs = 0): number | null {
  const wait = waitsMs[attempts];
  if (wait === undefined) return null;
  const jittered = wait * (0.8 + 0.4 * random);
  const asked = Math.min(retryAfterMs, Math.max(hour, 2 * wait));
  return now + Math.round(Math.max(jittered, asked));
}

/** The wait a `Retry-After` header asks for: seconds, or a date compared with `realNow`. 0 when there is none. */
export function retryAfterMs(header: string | undefined, realNow: number): number {
  if (header === undefined) return 0;
  if (/^\d{1,9}$/.test(header)) return Number(header) * second;
  const date = Date.parse(header);
  return Number.isNaN(date) ? 0 : Math.max(0, date - realNow);
}
