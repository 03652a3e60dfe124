import type { ApplicationStatus } from "../../../src/contract/states/index.ts";

/** An application at an instant. Times in ms. */
export interface TimedApplication {
  status: ApplicationStatus;
  reviewed_at: number | null;
  /** When the playtest's review window ends. */
  window_at: number | null;
}

/** What an application is now: one still pending when the window ended is closed although no job has run yet. */
export function applicationAt({ status, reviewed_at, window_at }: TimedApplication, now: number) {
  if (status === "pending" && window_at !== null && window_at <= now)
    return { status: "auto_rejected" as const, reviewedAt: window_at };
  return { status, reviewedAt: reviewed_at };
}

/** The mean of the scores a playtester received, two decimals as text; null before the first. */
export const ratingAverage = (sum: number | null, count: number) => (count === 0 ? null : ((sum ?? 0) / count).toFixed(2));
