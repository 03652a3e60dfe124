import type { Deps } from "../app/deps.ts";
import type { Query } from "../database/port.ts";

/**
 * A running job. Its effects must be idempotent by a business key, or be in one transaction with `job.done(tx)`: then they are rolled
 * back if the lease was lost.
 */
export interface Job {
  payload: Record<string, unknown>;
  /** When the job was due: server time in ms. */
  runAt: number;
  attempts: number;
  /**
   * False once the lease was lost or ran out, for instance because the process was stalled: another process may be running the job. A job
   * that has many effects outside of the database checks it before each of them.
   */
  isHeld(): boolean;
  /** Completes the job in the caller's transaction. Throws when the lease was lost. */
  done(tx: Query): Promise<void>;
  /** Completes this run in the caller's transaction and schedules the next at `runAt` (ms). Throws when the lease was lost. */
  reschedule(tx: Query, runAt: number): Promise<void>;
}

/** Thrown by a job to run again at `runAt` (ms) without counting as a failure. */
export class RetryLater extends Error {
  readonly runAt: number;
  constructor(runAt: number, reason: string) {
    super(reason);
    this.runAt = runAt;
  }
}

/**
 * Ends a job that found nothing left to do, or runs it again if `next` finds something by now: whoever added that saw the job queued, and
 * queued no other. So both are decided in one serializable transaction.
 */
export const endUnless = (job: Job, { store }: Deps, next: (q: Query) => Promise<unknown>): Promise<void> =>
  store.write(async (tx) => ((await next(tx)) === undefined ? job.done(tx) : job.reschedule(tx, tx.now)));

/** The work of each kind of job. */
export type JobKinds<Kind extends string = string> = Record<Kind, (job: Job, deps: Deps) => Promise<void>>;
