import { Semaphore } from "../../lib/semaphore.ts";
import { type Locks, LostRace, type Query, StoreUnavailable, type Value } from "../port.ts";

/** A write that waits for a transaction, and the ids of the rows that it locks. */
interface Waiting {
  locks: Locks;
  fn(tx: Query): Promise<unknown>;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** How transactions are run. */
interface Runner {
  /** One try of a transaction. */
  once(fn: (tx: Query) => Promise<void>): Promise<void>;
  /** A transaction of its own for one write, with retries. Writes with the same first id run one after the other. */
  alone(id: string, fn: (tx: Query) => Promise<unknown>): Promise<unknown>;
}

/**
 * More would share each other's commits less. PostgreSQL runs the statements of a transaction one after the other, so this is also how
 * many of its cores these writes can use.
 */
const transactionsAtOnce = 4;
/** Each has a connection of its own, and other work needs some of them. */
const aloneAtOnce = 8;
/** Of a transaction, so that the first write of it does not wait long for the last. */
const writesAtOnce = 16;

/**
 * Runs writes in as few transactions as possible: while some are running, the writes that come wait and then share the next one. Their
 * statements leave together, PostgreSQL syncs once for all, and each write resolves after the commit.
 *
 * Row locks do not hold back the writes of the same transaction from each other, so those that lock the same row run one after the other
 * there. A write that throws before it changed anything only fails itself. Any other failure rolls all of them back, and then each runs in a
 * transaction of its own.
 */
export class SharedTransactions {
  readonly #runner: Runner;
  readonly #locked = new Set<string>();
  readonly #alone = new Semaphore(aloneAtOnce);
  #waiting: Waiting[] = [];
  #running = 0;
  #scheduled = false;

  constructor(runner: Runner) {
    this.#runner = runner;
  }

  run<T>(locks: Locks, fn: (tx: Query) => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ locks, fn, resolve: resolve as Waiting["resolve"], reject });
      this.#schedule();
    });
  }

  /** Not at once: requests that arrived together share the first transaction too. */
  #schedule(): void {
    if (this.#scheduled || this.#waiting.length === 0) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      while (this.#running < transactionsAtOnce) {
        const writes = this.#take();
        if (writes.length === 0) return;
        void this.#runTogether(writes);
      }
    });
  }

  /** The next writes for one transaction. None of them locks what another transaction has locked, or overtakes a write for the same row. */
  #take(): Waiting[] {
    const taken: Waiting[] = [];
    const left: Waiting[] = [];
    const unavailable = new Set(this.#locked);
    for (const write of this.#waiting) {
      if (taken.length < writesAtOnce && !write.locks.some((id) => unavailable.has(id))) {
        taken.push(write);
        continue;
      }
      left.push(write);
      for (const id of write.locks) unavailable.add(id);
    }
    this.#waiting = left;
    return inOrder(taken);
  }

  async #runTogether(writes: readonly Waiting[]): Promise<void> {
    for (const { locks } of writes) for (const id of locks) this.#locked.add(id);
    this.#running++;
    try {
      for (const settle of await this.#commit(writes)) settle();
      this.#ended(writes);
    } catch (error) {
      this.#failed(error, writes);
    } finally {
      this.#running--;
      this.#schedule();
    }
  }

  /** Returns what settles the writes. */
  async #commit(writes: readonly Waiting[]): Promise<(() => void)[]> {
    const settle: (() => void)[] = [];
    await this.#runner.once(async (tx) => {
      const last = new Map<string, Promise<void>>();
      for (const write of writes) {
        const before = write.locks.flatMap((id) => last.get(id) ?? []);
        const result = before.length === 0 ? attempt(tx, write) : Promise.all(before).then(() => attempt(tx, write));
        const ended = result.then((done) => void settle.push(done));
        for (const id of write.locks) last.set(id, ended);
      }
      await Promise.all(last.values());
    });
    return settle;
  }

  /** When the database is unavailable, the writes may be committed: only their callers can find out. */
  #failed(error: unknown, writes: readonly Waiting[]): void {
    if (!(error instanceof StoreUnavailable)) {
      for (const write of writes) void this.#runAlone(write);
      return;
    }
    for (const { reject } of writes) reject(error);
    this.#ended(writes);
  }

  /** Nothing waits for it but writes for the same rows: another process may have locked them for long. */
  async #runAlone(write: Waiting): Promise<void> {
    await this.#alone.acquire();
    await this.#runner.alone(write.locks[0], write.fn).then(write.resolve, write.reject);
    this.#alone.release();
    this.#ended([write]);
  }

  #ended(writes: readonly Waiting[]): void {
    for (const { locks } of writes) for (const id of locks) this.#locked.delete(id);
    this.#schedule();
  }
}

/**
 * Runs a write in a transaction with others. Returns what settles it after the commit. Throws when the write changed something before it
 * failed, which only a rollback undoes, or must run again.
 */
async function attempt(tx: Query, { fn, resolve, reject }: Waiting): Promise<() => void> {
  const own = new Observed(tx);
  try {
    const value = await fn(own);
    return () => resolve(value);
  } catch (error) {
    if (own.changed || error instanceof LostRace) throw error;
    return () => reject(error);
  } finally {
    own.isOver = true;
  }
}

/** By the first row that each locks, so that the transactions of several processes lock rows in the same order. */
const inOrder = (writes: readonly Waiting[]) =>
  [...writes].sort((a, b) => (a.locks[0] < b.locks[0] ? -1 : a.locks[0] > b.locks[0] ? 1 : 0));

/** The queries of one write. Notes whether they changed anything. Locks change nothing. */
class Observed implements Query {
  changed = false;
  /** Later queries would change something in the transaction of the others. */
  isOver = false;
  readonly #tx: Query;

  constructor(tx: Query) {
    this.#tx = tx;
  }

  one<T>(sql: string, ...values: Value[]): Promise<T | undefined> {
    return this.#noted(sql).one(sql, ...values);
  }

  all<T>(sql: string, ...values: Value[]): Promise<T[]> {
    return this.#noted(sql).all(sql, ...values);
  }

  run(sql: string, ...values: Value[]): Promise<number> {
    return this.#noted(sql).run(sql, ...values);
  }

  send(sql: string, ...values: Value[]): void {
    this.#noted(sql).send(sql, ...values);
  }

  lock(...of: Parameters<Query["lock"]>): void {
    this.#open().lock(...of);
  }

  locked<T>(...of: Parameters<Query["locked"]>): Promise<T | undefined> {
    return this.#open().locked(...of);
  }

  held<T>(...of: Parameters<Query["held"]>): Promise<T | undefined> {
    return this.#open().held(...of);
  }

  alone<T>(...of: Parameters<Query["alone"]>): Promise<T | undefined> {
    return this.#open().alone(...of);
  }

  #noted(sql: string): Query {
    if (!/^\s*SELECT\b/i.test(sql)) this.changed = true;
    return this.#open();
  }

  #open(): Query {
    if (this.isOver) throw new Error("This write is over: the query was not run. Await every query inside the write callback.");
    return this.#tx;
  }
}
