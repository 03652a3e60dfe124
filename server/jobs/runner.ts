import type { Clock, Deps } from "../deps.ts";
import type { Query } from "../store/db.ts";
import * as jobs from "../store/jobs.ts";

/**
 * Background work as rows: queued in the transaction that causes it, leased by one conditional update, so any number of
 * processes can share a database. A job's effects must be idempotent by a business key, or end with `job.done(tx)` in
 * their own transaction: then a lease that was lost rolls them back.
 */
export interface Job {
  payload: Record<string, unknown>;
  /** When it was due, server time in ms. */
  runAt: number;
  attempts: number;
  /** Ends the job in the caller's transaction; throws when the lease was lost. */
  done(tx: Query): Promise<void>;
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

export interface JobRunner {
  schedule(tx: Query, job: { kind: string; key: string; payload: Record<string, unknown>; runAt: number }): Promise<void>;
  /** Looks for due work soon; call it after a commit that may have queued some. */
  wake(): void;
  start(deps: Deps): void;
  stop(): Promise<void>;
  /** Sandbox: moves the clock to `until`, running everything that falls due on the way, in order of time. How many ran. */
  advance(until: number, setClock: (now: number) => Promise<void>): Promise<number>;
}

const leaseMs = 60_000;
const heartbeatMs = 20_000;
const pollMs = 1_000;
const maxAttempts = 25;
const batch = 32;

export function createJobRunner(options: { kinds: JobKinds; clock: Clock; newId(): string; batch?: number }): JobRunner {
  const { kinds, clock } = options;
  let deps: Deps | undefined;
  let timer: NodeJS.Timeout | undefined;
  let queued = false;
  let current: Promise<unknown> = Promise.resolve();
  let stopped = true;

  const write = <T>(fn: (tx: Query) => Promise<T>) => deps!.store.write(fn);

  async function claimDue(count: number): Promise<jobs.JobRow[]> {
    const real = clock.real();
    const lease = { token: options.newId(), due: clock.now(), real, until: real + leaseMs, count };
    const rows = await write((tx) => jobs.claim(tx, lease));
    return rows.sort((a, b) => a.run_at - b.run_at || (a.id < b.id ? -1 : 1));
  }

  async function run(row: jobs.JobRow): Promise<void> {
    const work = kinds[row.kind];
    let finished = false;
    const job: Job = {
      payload: JSON.parse(row.payload) as Record<string, unknown>,
      runAt: row.run_at,
      attempts: row.attempts,
      async done(tx) {
        if ((await jobs.finish(tx, row)) === 0) throw new Error(`job ${row.kind} ${row.id}: the lease was lost`);
        finished = true;
      },
    };
    const heartbeat = setInterval(
      () => void write((tx) => jobs.extend(tx, row, clock.real() + leaseMs)).catch(() => {}),
      heartbeatMs,
    );
    try {
      if (!work) throw new Error(`no job of kind ${row.kind} in this version`);
      await work(job, deps!);
      if (!finished) await write((tx) => jobs.finish(tx, row));
    } catch (error) {
      await putBack(row, error);
    } finally {
      clearInterval(heartbeat);
    }
  }

  async function putBack(row: jobs.JobRow, error: unknown): Promise<void> {
    if (error instanceof TryAgain) return void (await write((tx) => jobs.retry(tx, row, error.runAt, error.message)));
    deps!.log.error({ err: error, job: row.kind, id: row.id, attempts: row.attempts }, "job failed");
    const text = String(error).slice(0, 500);
    if (row.attempts >= maxAttempts) return void (await write((tx) => jobs.bury(tx, row, text)));
    const wait = Math.round(1000 * Math.exp(Math.min(row.attempts, 10)));
    await write((tx) => jobs.retry(tx, row, clock.now() + wait, text));
  }

  async function drain(): Promise<void> {
    queued = false;
    for (;;) {
      const due = stopped ? [] : await claimDue(options.batch ?? batch);
      if (due.length === 0) return;
      await Promise.all(due.map(run));
    }
  }

  /** One round after the other: rounds never overlap, and `advance` waits its turn. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = current.then(work);
    current = mine.catch(() => {});
    return mine;
  };

  function look(): void {
    inTurn(drain)
      .catch((error) => deps?.log.error({ err: error }, "could not look for jobs"))
      .finally(() => sleep(pollMs));
  }

  function sleep(ms: number): void {
    clearTimeout(timer);
    if (!stopped) timer = setTimeout(look, ms).unref();
  }

  return {
    async schedule(tx, { kind, key, payload, runAt }) {
      await jobs.add(tx, { id: options.newId(), kind, key: `${kind}:${key}`, payload, runAt, now: clock.now() });
      queued = true;
    },
    wake() {
      if (queued && !stopped) sleep(0);
    },
    start(given) {
      deps = given;
      stopped = false;
      look();
    },
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await current;
    },
    advance: (until, setClock) =>
      inTurn(async () => {
        for (let ran = 0; ; ran++) {
          const next = await deps!.store.read(jobs.nextRunAt);
          if (next === null || next > until) {
            await setClock(until);
            return ran;
          }
          await setClock(next);
          const [row] = await claimDue(1);
          if (!row) throw new Error("a job is due but held by another process; try again");
          await run(row);
        }
      }),
  };
}
