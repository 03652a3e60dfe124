import type { Deps } from "../app/deps.ts";
import type { Query } from "../database/port.ts";

/**
 * A job at work. Its effects must be idempotent by a business key, or end with `job.done(tx)` in their own transaction: then a
 * lease that was lost rolls them back.
 */
export interface Job {
  payload: Record<string, unknown>;
  /** When it was due, server time in ms. */
  runAt: number;
  attempts: number;
  /** Ends the job in the caller's transaction; throws when the lease was lost. */
  done(tx: Query): Promise<void>;
  /** Ends this run in the caller's transaction; the next is at `runAt` (ms). Throws when the lease was lost. */
  again(tx: Query, runAt: number): Promise<void>;
}

/** Throw it from a job to try again at `runAt` (ms) without counting as an error. */
export class TryAgain extends Error {
  readonly runAt: number;
  constructor(runAt: number, reason: string) {
    super(reason);
    this.runAt = runAt;
  }
}

export type JobKinds = Record<string, (job: Job, deps: Deps) => Promise<void>>;
