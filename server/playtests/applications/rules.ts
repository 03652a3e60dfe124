import type { ApplicationStatus } from "../../../src/contract/states/index.ts";

/** An application at an instant. Times in ms. */
export interface TimedApplication {
  status: ApplicationStatus;
  reviewed_at: number | null;
  /** When the playtest's review window ends. */
  window_at: number | null;
}

/** The status at `now`: an application that was pending when the review window ended is auto-rejected, even before the job has run. */
export function applicationAt({ status, reviewed_at, window_at }: TimedApplication, now: number) {
  if (status === "pending" && window_at !== null && window_at <= now)
    return { status: "auto_rejected" as const, reviewedAt: window_at };
  return { status, reviewedAt: reviewed_at };
}

/** The mean of a playtester's scores as text with two decimals; null when there are none. */
export const ratingAverage = (sum: number | null, count: number) => (count === 0 ? null : ((sum ?? 0) / count).toFixed(2));
