import { setTimeout as pause } from "node:timers/promises";
import type { Deps } from "../app/deps.ts";
import type { Query } from "../database/port.ts";
import type { Clock } from "../lib/clock.ts";
import type { JobKinds } from "./job.ts";
import { Lane } from "./lane.ts";
import { type LeasedJob, runJob } from "./run.ts";
import * as jobs from "./store.ts";
import type { Jobs, JobToQueue } from "./types.ts";

const pollMs = 1_000;
/** How often an advance of the clock checks whether another process finished a due job. */
const advancePollMs = 20;
const sharedWidth = 32;

/** Kinds of jobs that may be slow have separate lanes, so that they do not delay others. */
export type Lanes = Record<string, { kinds: readonly string[]; width: number }>;

interface Options {
  kinds: JobKinds;
  lanes?: Lanes;
  clock: Clock;
  newId(): string;
  /** How long a lease lasts. After a process died, others take over its jobs when the lease ends. It is extended three times as often. */
  leaseMs: number;
}

/**
 * Runs background jobs, which are rows: queued in the transaction that causes them and leased by one conditional update, so that any
 * number of processes can share a database.
 */
export class JobRunner implements Jobs<Deps> {
  readonly #options: Options;
  readonly #lanes: readonly Lane[];
  readonly #queuedIn = new WeakSet<Query>();
  #deps: Deps | undefined;
  #timer: NodeJS.Timeout | undefined;
  #advancing: Promise<unknown> = Promise.resolve();
  #released: Promise<unknown> | undefined;
  #stopped = true;
  #paused = false;

  constructor(options: Options) {
    this.#options = options;
    this.#lanes = this.#lanesOf(options.lanes ?? {}, Object.keys(options.kinds));
  }

  async schedule(tx: Query, job: JobToQueue): Promise<void> {
    await jobs.add(tx, this.#rowOf(job));
    this.#queuedIn.add(tx);
  }

  async scheduleNew(tx: Query, given: readonly JobToQueue[]): Promise<void> {
    jobs.insert(
      tx,
      given.map((job) => this.#rowOf(job)),
    );
    this.#queuedIn.add(tx);
  }

  #rowOf(job: JobToQueue): jobs.NewJob {
    const { newId, clock } = this.#options;
    return { ...job, id: newId(), key: `${job.kind}:${job.key}`, now: clock.now() };
  }

  /** Looks for due jobs soon if this transaction queued any. Must be called after its commit. */
  committed(tx: Query): void {
    if (this.#queuedIn.has(tx)) this.#sleep(0);
  }

  start(deps: Deps): void {
    this.#deps = deps;
    this.#stopped = false;
    // When no other process can hold a lease, existing leases are from a process that died.
    if (!deps.store.shared)
      this.#released = deps.store
        .write(jobs.releaseAll)
        .catch((error) => deps.log.error({ err: error }, "could not take over the jobs of a stopped process"));
    this.#lookEverywhere();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#advancing;
    await this.#idle();
  }

  /**
   * Sandbox: moves the clock to `until` and runs the jobs that become due until then, in order of time. No other jobs run meanwhile.
   * Returns how many jobs ran.
   */
  advance(until: number, setClock: (now: number) => Promise<void>): Promise<number> {
    const mine = this.#advancing.then(async () => {
      this.#paused = true;
      try {
        await this.#idle();
        return await this.#runUntil(until, setClock);
      } finally {
        this.#paused = false;
        this.#lookEverywhere();
      }
    });
    this.#advancing = mine.catch(() => {});
    return mine;
  }

  /** Kinds without a separate lane share one. Kinds that only a newer version knows are left to its processes. */
  #lanesOf(own: Lanes, all: readonly string[]): Lane[] {
    const owner = {
      claim: (count: number, kinds: jobs.Kinds) => this.#claim(count, kinds),
      run: (row: LeasedJob) => this.#run(row),
      isOpen: () => !this.#stopped && !this.#paused,
      failed: (error: unknown, message: string, row?: jobs.JobRow) =>
        this.#deps?.log.error({ err: error, ...(row && { job: row.kind, id: row.id }) }, message),
    };
    const lane = (kinds: readonly string[], width: number) => new Lane({ only: kinds }, width, owner);
    const separate = Object.values(own).map(({ kinds, width }) => lane(kinds, width));
    const taken = Object.values(own).flatMap(({ kinds }) => kinds);
    const shared = all.filter((kind) => !taken.includes(kind));
    return shared.length === 0 ? separate : [lane(shared, sharedWidth), ...separate];
  }

  async #claim(count: number, kinds: jobs.Kinds): Promise<LeasedJob[]> {
    await this.#released;
    const { clock, newId, leaseMs } = this.#options;
    const token = newId();
    const { store } = this.#started();
    const rows = await store.write(async (tx) => {
      // Both clocks are read inside the write: a lease that began while the write was waiting could end before the job does.
      const real = clock.real();
      const now = jobs.leaseTime(store.dialect, real);
      const claimed = await jobs.claim(tx, { token, now, leaseMs, count, kinds, due: clock.now() });
      return claimed.map((row) => ({ ...row, heldUntil: real + leaseMs }));
    });
    return rows.sort((a, b) => a.run_at - b.run_at || (a.id < b.id ? -1 : 1));
  }

  #run(row: LeasedJob): Promise<void> {
    return runJob(row, { ...this.#options, deps: this.#started() });
  }

  #started(): Deps {
    if (!this.#deps) throw new Error("the job runner was not started");
    return this.#deps;
  }

  #lookEverywhere(): void {
    for (const lane of this.#lanes) lane.look();
    this.#sleep(pollMs);
  }

  #sleep(ms: number): void {
    clearTimeout(this.#timer);
    if (!this.#stopped) this.#timer = setTimeout(() => this.#lookEverywhere(), ms).unref();
  }

  async #idle(): Promise<void> {
    for (const lane of this.#lanes) await lane.idle();
  }

  async #runUntil(until: number, setClock: (now: number) => Promise<void>): Promise<number> {
    for (let ran = 0; ; ) {
      const next = await this.#started().store.read(jobs.nextRunAt);
      if (next === null || next > until) {
        await setClock(until);
        return ran;
      }
      await setClock(next);
      const [row] = await this.#claim(1, { except: [] });
      // Another process is running this job: the clock waits until it is done.
      if (!row) await pause(advancePollMs);
      else await this.#run(row).then(() => ran++);
    }
  }
}
