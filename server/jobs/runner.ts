import { setTimeout as pause } from "node:timers/promises";
import type { Deps } from "../app/deps.ts";
import { type Query, StoreUnavailable } from "../database/port.ts";
import type { Clock } from "../lib/clock.ts";
import type { JobKinds } from "./job.ts";
import { Lane } from "./lane.ts";
import { type LeasedJob, runJob } from "./run.ts";
import * as jobs from "./store.ts";
import { type Account, Turns } from "./turns.ts";
import type { Jobs, JobToQueue } from "./types.ts";

const pollMs = 1_000;
/** How long (ms) a job that this process lacks something for is left to other processes. */
const leftForMs = 7 * 86_400_000;
/** How often an advance of the clock checks whether another process finished a due job. */
const advancePollMs = 20;
const sharedWidth = 32;

/**
 * Kinds of jobs that may be slow have separate lanes, so that they do not delay others. In one that is `fair`, accounts take turns by how
 * long their jobs took recently, as far as this process knows.
 */
export type Lanes = Record<string, { kinds: readonly string[]; width: number; fair?: boolean }>;

interface Options {
  kinds: JobKinds;
  lanes?: Lanes;
  clock: Clock;
  newId(): string;
  /** How long a lease lasts. After a process died, others take over its jobs when the lease ends. It is extended three times as often. */
  leaseMs: number;
  /**
   * Whether this process lacks what jobs of a kind need, such as a program. On a database that others may share, they are left to those for
   * a week: so long they show up as late. Then this process runs them, which says what is lacking, unless another one runs any of the kind.
   */
  lacks?(kind: string, deps: Deps): boolean;
}

/**
 * Runs background jobs, which are rows: queued in the transaction that causes them and leased by one conditional update, so that any
 * number of processes can share a database.
 */
export class JobRunner implements Jobs<Deps> {
  readonly #options: Options;
  #lanes: readonly Lane[] = [];
  /** The kinds of the jobs that are left to other processes. */
  #left: readonly string[] = [];
  /** The kinds of the jobs that a transaction queued and that are due at once. */
  readonly #queuedIn = new WeakMap<Query, Set<string>>();
  readonly #dueKinds = new Set<string>();
  /** Holders of leases that may exist although their claim failed: the connection was lost while it was committed. */
  #unsure: string[] = [];
  #deps: Deps | undefined;
  #timer: NodeJS.Timeout | undefined;
  #wakeTimer: NodeJS.Timeout | undefined;
  #polling: Promise<void> | undefined;
  #advancing: Promise<unknown> = Promise.resolve();
  #released: Promise<unknown> | undefined;
  #stopped = true;
  #paused = false;

  constructor(options: Options) {
    this.#options = options;
  }

  async schedule(tx: Query, job: JobToQueue): Promise<void> {
    await jobs.add(tx, this.#rowOf(job));
    this.#remember(tx, [job]);
  }

  async scheduleNew(tx: Query, given: readonly JobToQueue[]): Promise<void> {
    jobs.insert(
      tx,
      given.map((job) => this.#rowOf(job)),
    );
    this.#remember(tx, given);
  }

  #remember(tx: Query, queued: readonly JobToQueue[]): void {
    const now = this.#options.clock.now();
    const due = queued.filter(({ kind, runAt }) => runAt <= now && !this.#left.includes(kind));
    if (due.length === 0) return;
    const kinds = this.#queuedIn.get(tx) ?? new Set();
    for (const { kind } of due) kinds.add(kind);
    this.#queuedIn.set(tx, kinds);
  }

  #rowOf(job: JobToQueue): jobs.NewJob {
    const { newId, clock } = this.#options;
    return { ...job, id: newId(), key: `${job.kind}:${job.key}`, now: clock.now() };
  }

  /** Starts the due jobs that this transaction queued, in a moment: many commits cause one look. Must be called after its commit. */
  committed(tx: Query): void {
    const kinds = this.#queuedIn.get(tx);
    if (!kinds || this.#stopped) return;
    for (const kind of kinds) this.#dueKinds.add(kind);
    this.#wakeTimer ??= setTimeout(() => this.#wake(), 0).unref();
  }

  #wake(): void {
    this.#wakeTimer = undefined;
    this.#look(this.#dueKinds);
    this.#dueKinds.clear();
  }

  #look(kinds: ReadonlySet<string>): void {
    for (const lane of this.#lanes) if (lane.runsAny(kinds)) lane.look();
  }

  start(deps: Deps): void {
    this.#deps = deps;
    this.#stopped = false;
    const { lacks, lanes = {} } = this.#options;
    const all = Object.keys(this.#options.kinds);
    this.#left = deps.store.shared && lacks ? all.filter((kind) => lacks(kind, deps)) : [];
    this.#lanes = this.#lanesOf(lanes, all);
    // When no other process can hold a lease, existing leases are from a process that died.
    if (!deps.store.shared)
      this.#released = deps.store
        .write(jobs.releaseAll)
        .catch((error) => deps.log.error({ err: error }, "could not take over the jobs of a stopped process"));
    this.#poll();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#wakeTimer);
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
        this.#poll();
      }
    });
    this.#advancing = mine.catch(() => {});
    return mine;
  }

  /** Kinds without a separate lane share one. Kinds that only a newer version knows are left to its processes. */
  #lanesOf(own: Lanes, all: readonly string[]): Lane[] {
    const owner = {
      claim: (count: number, kinds: jobs.Kinds) => this.#claim(count, kinds),
      waiting: (kinds: readonly string[]) => this.#waiting(kinds),
      run: (row: LeasedJob) => this.#run(row),
      isOpen: () => !this.#stopped && !this.#paused,
      failed: (error: unknown, message: string, row?: jobs.JobRow) =>
        this.#deps?.log.error({ err: error, ...(row && { job: row.kind, id: row.id }) }, message),
    };
    const turns = () => new Turns(() => this.#options.clock.real());
    const isMine = (kind: string) => !this.#left.includes(kind);
    const separate = Object.values(own).map(
      ({ kinds, width, fair }) => new Lane(kinds.filter(isMine), width, owner, fair ? turns() : undefined),
    );
    const taken = Object.values(own).flatMap(({ kinds }) => kinds);
    const shared = all.filter((kind) => isMine(kind) && !taken.includes(kind));
    const late = { ...owner, claim: (count: number, kinds: jobs.Kinds) => this.#claim(count, kinds, leftForMs) };
    const lanes = [new Lane(shared, sharedWidth, owner), ...separate, new Lane(this.#left, 1, late)];
    return lanes.filter((lane) => !lane.isEmpty);
  }

  /** Leases jobs that are due for longer than `lateMs`: with 0, those of this process, else those that were left to others. */
  async #claim(count: number, kinds: jobs.Kinds, lateMs = 0): Promise<LeasedJob[]> {
    await this.#released;
    const { clock, newId, leaseMs } = this.#options;
    const token = newId();
    const { store } = this.#started();
    const unsure = [...this.#unsure];
    const rows = await store
      .write(async (tx) => {
        for (const lost of unsure) await jobs.release(tx, lost);
        // Both clocks are read inside the write: a lease that began while the write was waiting could end before the job does.
        const real = clock.real();
        const now = jobs.leaseTime(store.dialect, real);
        const claimed = await jobs.claim(tx, {
          token,
          now,
          leaseMs,
          count,
          kinds,
          due: clock.now() - lateMs,
          isLeft: lateMs > 0,
        });
        return claimed.map((row) => ({ ...row, heldUntil: real + leaseMs }));
      }, jobs.byLease)
      .catch((error: unknown) => {
        if (error instanceof StoreUnavailable && error.outcomeUnknown) this.#unsure.push(token);
        throw error;
      });
    this.#unsure = this.#unsure.filter((lost) => !unsure.includes(lost));
    return rows.sort((a, b) => a.run_at - b.run_at || (a.id < b.id ? -1 : 1));
  }

  async #waiting(kinds: readonly string[]): Promise<Account[]> {
    await this.#released;
    const { clock } = this.#options;
    const { store } = this.#started();
    const at = { now: jobs.leaseTime(store.dialect, clock.real()), due: clock.now() };
    return store.read((q) => jobs.waitingAccounts(q, at, kinds));
  }

  #run(row: LeasedJob): Promise<void> {
    return runJob(row, { ...this.#options, deps: this.#started() });
  }

  #started(): Deps {
    if (!this.#deps) throw new Error("the job runner was not started");
    return this.#deps;
  }

  /** Looks for due jobs of every kind, now and once a second. While none is due, this is one read. */
  #poll(): void {
    clearTimeout(this.#timer);
    if (this.#paused || this.#stopped) return;
    this.#polling ??= this.#lookWhereDue()
      .catch((error) => this.#deps?.log.error({ err: error }, "could not look for due jobs"))
      .finally(() => {
        this.#polling = undefined;
        if (!this.#stopped && !this.#paused) this.#timer = setTimeout(() => this.#poll(), pollMs).unref();
      });
  }

  async #lookWhereDue(): Promise<void> {
    await this.#released;
    const { clock, kinds } = this.#options;
    const mine = Object.keys(kinds).filter((kind) => !this.#left.includes(kind));
    const due = await this.#started().store.read(async (q) => [
      ...(await jobs.dueKinds(q, mine, clock.now())),
      ...(await jobs.dueKinds(q, this.#left, clock.now() - leftForMs)),
    ]);
    this.#look(new Set(due));
  }

  async #idle(): Promise<void> {
    await this.#polling;
    for (const lane of this.#lanes) await lane.idle();
  }

  async #runUntil(until: number, setClock: (now: number) => Promise<void>): Promise<number> {
    for (let ran = 0; ; ) {
      const next = await this.#started().store.read((q) => jobs.nextRunAt(q, this.#left));
      if (next === null || next > until) {
        await setClock(until);
        return ran;
      }
      await setClock(next);
      const [row] = await this.#claim(1, { except: this.#left });
      // Another process is running this job: the clock waits until it is done.
      if (!row) await pause(advancePollMs);
      else await this.#run(row).then(() => ran++);
    }
  }
}
