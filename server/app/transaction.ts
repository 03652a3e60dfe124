import type { EntryRow } from "../audit/chain.ts";
import type { AuditLog } from "../audit/log.ts";
import type { MovableClock } from "../database/clock.ts";
import type { Query, ReadOptions, Store, Value, WriteOptions } from "../database/port.ts";
import type { EventFeed } from "../events/feed.ts";
import type { JobKind } from "../jobs/purposes.ts";
import type { JobRunner } from "../jobs/runner.ts";
import type { JobToQueue } from "../jobs/types.ts";
import { currentTrace, traceText } from "../lib/trace.ts";
import type { Context, ReadTx, ServerStore, Tx } from "./tx.ts";

/** What transactions cause outside of their rows, after the commit. */
interface Effects {
  jobs: JobRunner;
  feed: EventFeed;
  audit: AuditLog;
}

/** The queries of one transaction together with what a change needs. A class, so that its functions are not created again each time. */
class Transaction implements Tx {
  readonly now: number;
  readonly newId: () => string;
  readonly trace: string | undefined;
  readonly #query: Query;
  readonly #context: Context;
  readonly #effects: Effects;

  constructor(query: Query, now: number, trace: string | undefined, context: Context, effects: Effects) {
    this.now = now;
    this.trace = trace;
    this.newId = context.newId;
    this.#query = query;
    this.#context = context;
    this.#effects = effects;
  }

  one<T>(sql: string, ...values: Value[]): Promise<T | undefined> {
    return this.#query.one(sql, ...values);
  }
  all<T>(sql: string, ...values: Value[]): Promise<T[]> {
    return this.#query.all(sql, ...values);
  }
  run(sql: string, ...values: Value[]): Promise<number> {
    return this.#query.run(sql, ...values);
  }
  send(sql: string, ...values: Value[]): void {
    this.#query.send(sql, ...values);
  }
  lock(table: "playtests" | "users", condition: string, ...values: Value[]): void {
    this.#query.lock(table, condition, ...values);
  }
  locked<T>(table: "playtests" | "users", id: string): Promise<T | undefined> {
    return this.#query.locked(table, id);
  }
  held<T>(sql: string, ...values: Value[]): Promise<T | undefined> {
    return this.#query.held(sql, ...values);
  }
  alone<T>(sql: string, ...values: Value[]): Promise<T | undefined> {
    return this.#query.alone(sql, ...values);
  }

  get config() {
    return this.#context.config;
  }
  get brand() {
    return this.#context.brand;
  }
  get secrets() {
    return this.#context.secrets;
  }
  get paidOrders() {
    return this.#context.paidOrders;
  }
  randomBytes(count: number): Buffer {
    return this.#context.randomBytes(count);
  }

  schedule(job: JobToQueue<JobKind>): Promise<void> {
    return this.#effects.jobs.schedule(this, this.#traced(job));
  }
  scheduleNew(jobs: readonly JobToQueue<JobKind>[]): Promise<void> {
    return this.#effects.jobs.scheduleNew(
      this,
      jobs.map((job) => this.#traced(job)),
    );
  }
  #traced<Kind extends string>(job: JobToQueue<Kind>): JobToQueue<Kind> {
    return this.trace === undefined ? job : { ...job, trace: this.trace };
  }
  wake(accountId: string): void {
    this.#effects.feed.note(this, accountId);
  }
  audit(entry: EntryRow): Promise<void> {
    return this.#effects.audit.write(this, entry);
  }
}

/**
 * The store whose transactions know what a change needs. In each, the clock is first brought up to date, so that an advance of the sandbox
 * clock holds in all processes at once; jobs, events and audit entries become visible to the rest of this process after the commit.
 */
export function createServerStore(store: Store, clock: MovableClock, context: Context, effects: Effects): ServerStore {
  const { follow } = clock;
  const begin = (query: Query, trace?: string): Tx => new Transaction(query, clock.now(), trace, context, effects);
  // Most servers have no other process to follow, and then nothing is awaited before the first statement.
  const within = <T>(query: Query, fn: (tx: Tx) => Promise<T>, trace?: string): Promise<T> =>
    follow ? follow(query).then(() => fn(begin(query, trace))) : fn(begin(query, trace));
  return {
    dialect: store.dialect,
    shared: store.shared,
    read: <T>(fn: (q: ReadTx) => Promise<T>, options?: ReadOptions) => store.read((q) => within(q, fn), options),
    async write<T>(fn: (tx: Tx) => Promise<T>, options?: WriteOptions): Promise<T> {
      let last: Tx | undefined;
      // Before the write waits among others, which may be parts of other traces.
      const current = currentTrace();
      const trace = current && traceText(current);
      const noted = (tx: Tx) => {
        last = tx;
        return fn(tx);
      };
      const result = await store.write((q) => within(q, noted, trace), options);
      if (last) for (const effect of [effects.audit, effects.jobs, effects.feed]) effect.committed(last);
      return result;
    },
    check: (options) => store.check(options),
    numbers: () => store.numbers?.() ?? {},
    close: () => store.close(),
  };
}
