import type { Deps } from "../app/deps.ts";
import type { Tx } from "../app/tx.ts";
import type { Query } from "../database/port.ts";

/** How long (ms) until a job tries again what it left out because a file could not be read right now, so that the rest did not wait for it. */
export const unreadableAgainMs = 3_600_000;

/**
 * A running job. Its effects must be idempotent by a business key, or be in one transaction with `job.done(tx)`: then they are rolled
 * back if the lease was lost.
 */
export interface Job {
  payload: Record<string, unknown>;
  /** When the job was due: server time in ms. */
  runAt: number;
  attempts: number;
  /** Whether it is not tried again when this run fails too: what it makes fails with it, so that nobody waits for that. */
  isLast: boolean;
  /**
   * False once the lease was lost or ran out, for instance because the process was stalled: another process may be running the job. A job
   * that has many effects outside of the database checks it before each of them.
   */
  isHeld(): boolean;
  /** Completes the job in the caller's transaction. Throws when the lease was lost. */
  done(tx: Query): Promise<void>;
  /**
   * Ends the job, or runs it again at the time (ms) that `next` finds. Whoever adds to what it has to do meanwhile sees it queued, and
   * queues no other. So this waits a moment for what was added to be committed, or else runs the job again at once.
   */
  endUnless(next: (tx: Tx) => Promise<number | undefined>): Promise<void>;
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

/** The work of each kind of job. */
export type JobKinds<Kind extends string = string> = Record<Kind, (job: Job, deps: Deps) => Promise<void>>;
