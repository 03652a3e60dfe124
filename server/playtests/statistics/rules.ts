import type { SlotStatus } from "../../../src/contract/states/index.ts";

/** The figures of an owner's playtests. Times in ms; calendar weeks and months in UTC. */

const day = 24 * 3_600_000;
const week = 7 * day;
const weeksShown = 26;
const monthsShown = 60;

const monthStart = (at: number, offset = 0) => {
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + offset, 1);
};

/** The start of the week, a Monday. The epoch was a Thursday. */
const weekStart = (at: number) => at - ((((at - 4 * day) % week) + week) % week);

/** The starts of the months from `since` until `now`, the oldest first: the last five years at most. */
export function months(since: number, now: number): number[] {
  const starts: number[] = [];
  for (let back = 0; back < monthsShown; back++) {
    const start = monthStart(now, -back);
    starts.unshift(start);
    if (start <= since) break;
  }
  return starts;
}

/** The starts of the weeks from `since` until `now`, or of the months if that is more than half a year. */
export function periods(since: number, now: number): number[] {
  if (now - since > weeksShown * week) return months(since, now);
  const starts: number[] = [];
  for (let start = weekStart(Math.min(since, now)); start <= now; start += week) starts.push(start);
  return starts;
}

/** Since when slots count if the caller does not say: 90 days ago. */
export const statisticsSince = (now: number) => now - 90 * day;
/** Since when costs count: eleven months before this one. */
export const spendingSince = (now: number) => monthStart(now, -11);

/** `2026-03` */
export const monthName = (start: number) => new Date(start).toISOString().slice(0, 7);

/** A share from 0 to 1 with three digits; null of nothing. */
export const share = (part: number, whole: number) => (whole === 0 ? null : Math.round((part / whole) * 1000) / 1000);

/** An average with two digits; null of nothing. */
export const average = (sum: number, count: number) => (count === 0 ? null : Math.round((sum / count) * 100) / 100);

/** Milliseconds as minutes with one digit. */
export const inMinutes = (ms: number | null) => (ms === null ? null : Math.round(ms / 6_000) / 10);

/** How reviews ended. A rejected slot whose playtester may retry costs nothing more: its hold is that of the retry. */
export function rates(counts: Readonly<Record<SlotStatus, number>>, retried: number) {
  const reviewed = counts.accepted + counts.rejected;
  return { acceptanceRate: share(counts.accepted, reviewed), retryRate: share(retried, reviewed) };
}
