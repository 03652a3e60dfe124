import type { Deps } from "../app/deps.ts";
import { type Query, StoreUnavailable } from "../database/port.ts";
import type { Clock } from "../lib/clock.ts";
import { type Span, traceIn, withTrace } from "../lib/trace.ts";
import { type Job, type JobKinds, RetryLater } from "./job.ts";
import * as jobs from "./store.ts";

/** How often a job may fail in a row, within about four days, before it is marked dead. */
const maxFailures = 25;

const isLast = ({ failures }: jobs.JobRow) => failures + 1 >= maxFailures;

interface Context {
  kinds: JobKinds;
  deps: Deps;
  clock: Clock;
  leaseMs: number;
}

/** A leased job. `heldUntil` is the end of the lease by the clock of this process (real ms). */
export type LeasedJob = jobs.JobRow & { heldUntil: number };

/** Runs a leased job as a part of the trace that queued it. A job that fails is queued again or, after the last attempt, marked dead. */
export function runJob(row: LeasedJob, context: Context): Promise<void> {
  const { tracer } = context.deps;
  const given = traceIn(row.trace);
  const span = tracer && withTrace(given, () => tracer.start("consumer", `job ${row.kind}`, { "messaging.message.id": row.id }));
  return withTrace(span?.trace ?? given, () => run(row, context, span));
}

/** Extends the lease of the job meanwhile. */
async function run(row: LeasedJob, context: Context, span: Span | null): Promise<void> {
  const { kinds, deps } = context;
  let finished = false;
  const ended = (rows: number, mayHaveEnded = false) => {
    if (rows === 0 && !mayHaveEnded) throw new Error(`job ${row.kind} ${row.id}: the lease was lost`);
    finished = true;
  };
  const lease = holdLease(row, context);
  const started = context.clock.real();
  const measure = (outcome: "done" | "later" | "failed") => {
    deps.metrics?.job(row.kind, outcome, context.clock.real() - started);
    span?.end({ failed: outcome === "failed" });
  };
  const job: Job = {
    payload: JSON.parse(row.payload) as Record<string, unknown>,
    runAt: row.run_at,
    attempts: row.attempts,
    isLast: isLast(row),
    isHeld: lease.isHeld,
    done: async (tx) => ended(await jobs.finish(tx, row)),
    endUnless: (next) =>
      deps.store
        .write(async (tx) => {
          await jobs.lockForEnd(tx, row);
          const at = await next(tx);
          ended(await (at === undefined ? jobs.finish(tx, row) : jobs.reschedule(tx, row, at)));
        }, jobs.byLease)
        .catch(async (error: unknown) => {
          if (!(error instanceof StoreUnavailable)) throw error;
          // Where something is added all the time, it has more to do anyway. The end whose reply was lost may have taken effect.
          const again = (tx: Query) => jobs.reschedule(tx, row, context.clock.now());
          await deps.store.write(async (tx) => ended(await again(tx), error.outcomeUnknown), jobs.byLease);
        }),
    reschedule: async (tx, runAt) => ended(await jobs.reschedule(tx, row, runAt)),
  };
  try {
    const work: JobKinds[string] | undefined = kinds[row.kind];
    if (!work) throw new Error(`this version does not know jobs of kind ${row.kind}`);
    await work(job, deps);
    if (!finished) await settle((tx) => jobs.finish(tx, row), lease, context);
    measure("done");
  } catch (error) {
    measure(error instanceof RetryLater ? "later" : "failed");
    const change = afterFailure(row, error, context);
    await settle(change, lease, context);
  } finally {
    lease.release();
  }
}

interface Lease {
  /** False once it was lost or ran out. */
  isHeld(): boolean;
  release(): void;
}

/** Extends the lease of a job until it is released. */
function holdLease(row: LeasedJob, { deps: { store }, clock, leaseMs }: Context): Lease {
  let until = row.heldUntil;
  async function extend(): Promise<void> {
    const real = clock.real();
    const rows = await store.write((tx) => jobs.extend(tx, row, jobs.leaseTime(store.dialect, real), leaseMs), jobs.byLease);
    until = rows === 0 ? 0 : real + leaseMs;
  }
  // An extension that fails is tried again by the next one. The lease runs out meanwhile, which `isHeld` sees.
  const heartbeat = setInterval(() => void extend().catch(() => {}), leaseMs / 3);
  return { isHeld: () => clock.real() < until, release: () => clearInterval(heartbeat) };
}

/** How often (ms) the outcome of a job is written again while the database is away or full. */
const settleEveryMs = 1_000;

/**
 * Writes what became of a job, and does not give up while its lease holds: otherwise nobody could run it before the lease ends.
 */
async function settle(change: (tx: Query) => Promise<unknown>, lease: Lease, { deps }: Context): Promise<void> {
  for (;;) {
    try {
      return void (await deps.store.write(change, jobs.byLease));
    } catch (error) {
      if (!(error instanceof StoreUnavailable) || deps.draining.aborted || !lease.isHeld()) throw error;
    }
    await deps.wait(settleEveryMs, deps.draining);
  }
}

/** What to write about a job that failed or asked to run later. */
function afterFailure(row: jobs.JobRow, error: unknown, { deps: { log }, clock }: Context): (tx: Query) => Promise<unknown> {
  if (error instanceof RetryLater) return (tx) => jobs.retry(tx, row, error.runAt, error.message, 0);
  const failures = row.failures + 1;
  const message = isLast(row) ? "job failed and will not be retried" : "job failed";
  log.error({ err: error, job: row.kind, id: row.id, attempts: row.attempts }, message);
  const text = String(error).slice(0, 500);
  if (isLast(row)) return (tx) => jobs.markDead(tx, row, text);
  const wait = Math.round(1000 * Math.exp(Math.min(failures, 10)));
  return (tx) => jobs.retry(tx, row, clock.now() + wait, text, failures);
}
