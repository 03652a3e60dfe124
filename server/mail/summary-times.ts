import type { Letter } from "./texts.ts";

const minute = 60_000;
export const hour = 60 * minute;
const day = 24 * hour;

/** Whether an email can wait for the summary at `at` (ms): its reader needs an hour for what it asks. */
export const canWait = ({ usefulUntil }: Pick<Letter, "usefulUntil">, at: number): boolean =>
  usefulUntil === undefined || usefulUntil - at >= hour;

/**
 * The time a summary is due, at least a minute from now: an email that is queued while its summary is being composed would otherwise wait
 * for the one after. All in ms.
 */
const dueAfter = (now: number, first: number, every: number) => (first - now >= minute ? first : first + every);

export const nextFullHour = (now: number) => dueAfter(now, (Math.floor(now / hour) + 1) * hour, hour);

/** The next time of the day, in UTC, at which the daily emails are sent. */
export const nextDigest = (now: number, digestHour: number) =>
  dueAfter(now, Math.floor(now / day) * day + digestHour * hour, day);
