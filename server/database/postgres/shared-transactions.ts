import { type Query, StoreUnavailable, type Value } from "../port.ts";

/** A write that waits for a transaction, and the ids of the rows that it locks. */
interface Waiting {
  locks: readonly string[];
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
  #waiting: Waiting[] = [];
  #running = 0;
  #scheduled = false;

  constructor(runner: Runner) {
    this.#runner = runner;
  }

  /** `locks` are the ids of the rows that `fn` locks: at least one, and everything that it decides by. */
  run<T>(locks: readonly string[], fn: (tx: Query) => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ locks, fn, resolve: resolve as Waiting["resolve"], reject });
      this.#schedule();
    });
  }

  /** Not at once: requests that arrived together share the first transaction too. */
  #schedule(): void {
    if (this.#scheduled) return;
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
      const isFree = taken.length < writesAtOnce && !write.locks.some((id) => unavailable.has(id));
      if (isFree) taken.push(write);
      else for (const id of write.locks) unavailable.add(id);
      if (!isFree) left.push(write);
    }
    this.#waiting = left;
    return inOrder(taken);
  }

  async #runTogether(writes: readonly Waiting[]): Promise<void> {
    const ids = writes.flatMap(({ locks }) => locks);
    for (const id of ids) this.#locked.add(id);
    this.#running++;
    try {
      await this.#commit(writes);
    } finally {
      this.#running--;
      for (const id of ids) this.#locked.delete(id);
      if (this.#waiting.length > 0) this.#schedule();
    }
  }

  async #commit(writes: readonly Waiting[]): Promise<void> {
    const settle: (() => void)[] = [];
    try {
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
    } catch (error) {
      await this.#afterFailure(error, writes);
      return;
    }
    for (const done of settle) done();
  }

  /** When the database is unavailable, the writes may be committed: only their callers can find out. */
  async #afterFailure(error: unknown, writes: readonly Waiting[]): Promise<void> {
    if (error instanceof StoreUnavailable) for (const { reject } of writes) reject(error);
    else
      await Promise.all(writes.map(({ locks, fn, resolve, reject }) => this.#runner.alone(locks[0]!, fn).then(resolve, reject)));
  }
}

/**
 * Runs a write in a transaction with others. Returns what settles it after the commit. Throws when the write changed something before it
 * failed, which only a rollback undoes.
 */
async function attempt(tx: Query, { fn, resolve, reject }: Waiting): Promise<() => void> {
  const own = new Observed(tx);
  try {
    const value = await fn(own);
    return () => resolve(value);
  } catch (error) {
    if (own.changed) throw error;
    return () => reject(error);
  }
}

/** By the first row that each locks, so that the transactions of several processes lock rows in the same order. */
const inOrder = (writes: readonly Waiting[]) =>
  [...writes].sort((a, b) => (a.locks[0]! < b.locks[0]! ? -1 : a.locks[0]! > b.locks[0]! ? 1 : 0));

/** The queries of one write. Notes whether they changed anything. Locks change nothing. */
class Observed implements Query {
  changed = false;
  readonly #tx: Query;

  constructor(tx: Query) {
    this.#tx = tx;
  }

  one<T>(sql: string, ...values: Value[]): Promise<T | undefined> {
    this.#note(sql);
    return this.#tx.one(sql, ...values);
  }

  all<T>(sql: string, ...values: Value[]): Promise<T[]> {
    this.#note(sql);
    return this.#tx.all(sql, ...values);
  }

  run(sql: string, ...values: Value[]): Promise<number> {
    this.#note(sql);
    return this.#tx.run(sql, ...values);
  }

  send(sql: string, ...values: Value[]): void {
    this.#note(sql);
    this.#tx.send(sql, ...values);
  }

  lock(...of: Parameters<Query["lock"]>): void {
    this.#tx.lock(...of);
  }

  locked<T>(...of: Parameters<Query["locked"]>): Promise<T | undefined> {
    return this.#tx.locked(...of);
  }

  #note(sql: string): void {
    if (!/^\s*SELECT\b/i.test(sql)) this.changed = true;
  }
}
