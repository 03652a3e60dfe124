import { setTimeout as pause } from "node:timers/promises";
import type { Deps } from "../app/deps.ts";
import type { Query } from "../database/port.ts";
import type { Clock } from "../lib/clock.ts";
import * as jobs from "./store.ts";

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

export interface JobRunner {
  schedule(tx: Query, job: { kind: string; key: string; payload: Record<string, unknown>; runAt: number }): Promise<void>;
  /** Looks for due work soon, if this transaction queued some; call it after its commit. */
  committed(tx: Query): void;
  start(deps: Deps): void;
  stop(): Promise<void>;
  /** Sandbox: moves the clock to `until`, running everything that falls due on the way, in order of time. How many ran. */
  advance(until: number, setClock: (now: number) => Promise<void>): Promise<number>;
}

const pollMs = 1_000;
/** How often an advance looks whether another process finished what is due. */
const otherMs = 20;
/** So often a job fails before it is given up: within four days. */
const maxFailures = 25;
const commonWidth = 32;

/** Kinds that may be slow have a lane of their own, so that they take no place from the others. */
export type Lanes = Record<string, { kinds: readonly string[]; width: number }>;

interface Lane {
  kinds: jobs.Kinds;
  /** How many of its jobs run at once. */
  width: number;
  busy: Set<Promise<void>>;
  looking: Promise<void> | undefined;
  lookAgain: boolean;
}

interface Options {
  kinds: JobKinds;
  lanes?: Lanes;
  clock: Clock;
  newId(): string;
  /** With `pollMs`, so long after a process's death another one goes on with its jobs. It shows that it lives three times as often. */
  leaseMs: number;
}

export function createJobRunner(options: Options): JobRunner {
  const { kinds, clock, leaseMs } = options;
  const lanes = lanesOf(options.lanes ?? {}, Object.keys(kinds));
  let deps: Deps | undefined;
  let timer: NodeJS.Timeout | undefined;
  const queuedIn = new WeakSet<Query>();
  let advancing: Promise<unknown> = Promise.resolve();
  let released: Promise<unknown> | undefined;
  let stopped = true;
  let paused = false;

  const write = <T>(fn: (tx: Query) => Promise<T>) => deps!.store.write(fn);

  async function claimDue(count: number, of: jobs.Kinds): Promise<jobs.JobRow[]> {
    const real = clock.real();
    const lease = { token: options.newId(), real, until: real + leaseMs, count, kinds: of };
    const rows = await write((tx) => jobs.claim(tx, { ...lease, due: clock.now() }));
    return rows.sort((a, b) => a.run_at - b.run_at || (a.id < b.id ? -1 : 1));
  }

  async function run(row: jobs.JobRow): Promise<void> {
    const work = kinds[row.kind];
    let finished = false;
    const ended = (rows: number) => {
      if (rows === 0) throw new Error(`job ${row.kind} ${row.id}: the lease was lost`);
      finished = true;
    };
    const job: Job = {
      payload: JSON.parse(row.payload) as Record<string, unknown>,
      runAt: row.run_at,
      attempts: row.attempts,
      done: async (tx) => ended(await jobs.finish(tx, row)),
      again: async (tx, runAt) => ended(await jobs.again(tx, row, runAt)),
    };
    const heartbeat = setInterval(
      () => void write((tx) => jobs.extend(tx, row, clock.real() + leaseMs)).catch(() => {}),
      leaseMs / 3,
    );
    try {
      if (!work) throw new Error(`no job of kind ${row.kind} in this version`);
      await work(job, deps!);
      if (!finished) await write((tx) => jobs.finish(tx, row));
    } catch (error) {
      await retryOrFail(row, error);
    } finally {
      clearInterval(heartbeat);
    }
  }

  async function retryOrFail(row: jobs.JobRow, error: unknown): Promise<void> {
    if (error instanceof TryAgain) return void (await write((tx) => jobs.retry(tx, row, error.runAt, error.message, 0)));
    const failures = row.failures + 1;
    const isLast = failures >= maxFailures;
    const message = isLast ? "job given up" : "job failed";
    deps!.log.error({ err: error, job: row.kind, id: row.id, attempts: row.attempts }, message);
    const text = String(error).slice(0, 500);
    if (isLast) return void (await write((tx) => jobs.markDead(tx, row, text)));
    const wait = Math.round(1000 * Math.exp(Math.min(failures, 10)));
    await write((tx) => jobs.retry(tx, row, clock.now() + wait, text, failures));
  }

  /** Starts due work up to the lane's width. A slow job keeps its own place only. */
  async function fill(lane: Lane): Promise<void> {
    await released;
    for (let free = lane.width - lane.busy.size; free > 0 && !stopped && !paused; free = lane.width - lane.busy.size) {
      const due = await claimDue(free, lane.kinds);
      for (const row of due) begin(lane, row);
      if (due.length < free) return;
    }
  }

  function begin(lane: Lane, row: jobs.JobRow): void {
    const work = run(row)
      .catch((error) => deps?.log.error({ err: error, job: row.kind, id: row.id }, "could not put a job back"))
      .finally(() => {
        const wasFull = lane.busy.size === lane.width;
        lane.busy.delete(work);
        if (wasFull) look(lane);
      });
    lane.busy.add(work);
  }

  function look(lane: Lane): void {
    if (stopped || paused) return;
    lane.lookAgain = lane.looking !== undefined;
    if (lane.lookAgain) return;
    lane.looking = fill(lane)
      .catch((error) => deps?.log.error({ err: error }, "could not look for jobs"))
      .finally(() => {
        lane.looking = undefined;
        if (lane.lookAgain) look(lane);
      });
  }

  function lookEverywhere(): void {
    for (const lane of lanes) look(lane);
    sleep(pollMs);
  }

  function sleep(ms: number): void {
    clearTimeout(timer);
    if (!stopped) timer = setTimeout(lookEverywhere, ms).unref();
  }

  async function idle(): Promise<void> {
    for (const lane of lanes) {
      await lane.looking;
      await Promise.all(lane.busy);
    }
  }

  async function runUntil(until: number, setClock: (now: number) => Promise<void>): Promise<number> {
    for (let ran = 0; ; ) {
      const next = await deps!.store.read(jobs.nextRunAt);
      if (next === null || next > until) {
        await setClock(until);
        return ran;
      }
      await setClock(next);
      const [row] = await claimDue(1, { except: [] });
      // Another process is at it: time stands still until that is done.
      if (!row) await pause(otherMs);
      else await run(row).then(() => ran++);
    }
  }

  return {
    async schedule(tx, { kind, key, payload, runAt }) {
      await jobs.add(tx, { id: options.newId(), kind, key: `${kind}:${key}`, payload, runAt, now: clock.now() });
      queuedIn.add(tx);
    },
    committed(tx) {
      if (queuedIn.has(tx)) sleep(0);
    },
    start(given) {
      deps = given;
      stopped = false;
      // SQLite has one process at a time: leases it finds were left by one that died.
      if (given.store.dialect === "sqlite") {
        released = write(jobs.releaseAll).catch((error) =>
          given.log.error({ err: error }, "could not take over jobs left behind"),
        );
      }
      lookEverywhere();
    },
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await advancing;
      await idle();
    },
    /** Nothing else runs meanwhile, so the order is that of time alone. */
    advance(until, setClock) {
      const mine = advancing.then(async () => {
        paused = true;
        try {
          await idle();
          return await runUntil(until, setClock);
        } finally {
          paused = false;
          lookEverywhere();
        }
      });
      advancing = mine.catch(() => {});
      return mine;
    },
  };
}

/** What has no lane of its own shares one. Kinds of a newer version are left to its processes. */
function lanesOf(own: Lanes, all: readonly string[]): Lane[] {
  const lane = (kinds: jobs.Kinds, width: number): Lane => ({
    kinds,
    width,
    busy: new Set(),
    looking: undefined,
    lookAgain: false,
  });
  const apart = Object.values(own).map(({ kinds, width }) => lane({ only: kinds }, width));
  const taken = Object.values(own).flatMap(({ kinds }) => kinds);
  const shared = all.filter((kind) => !taken.includes(kind));
  return shared.length === 0 ? apart : [lane({ only: shared }, commonWidth), ...apart];
}
