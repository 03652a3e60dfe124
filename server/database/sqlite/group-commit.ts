import { setTimeout as pause } from "node:timers/promises";
import type { Statement } from "better-sqlite3";
import type { Query, Value } from "../port.ts";
import { type Connection, codeOf } from "./connection.ts";

const GROUP_SIZE = 64;
/** How long (ms) the first write of a group waits for others at most. */
const gatherMs = 40;
/** How often and how long (ms) a group waits for another process that holds the write lock. */
const mostWaits = 150;
const waitMs = 20;

interface Entry {
  fn: (tx: Query) => Promise<unknown>;
  resolve(value: unknown): void;
  reject(error: unknown): void;
  outcome: { value: unknown } | { error: unknown };
}

interface Options {
  strict: boolean;
  afterCommit(): void;
}

/**
 * Commits waiting writes together: one BEGIN IMMEDIATE, one COMMIT, and only then are they resolved. A group first runs without
 * savepoints, because SQLite copies each page that is changed after a savepoint, an eighth of the work of an order. If a write fails, the
 * group is rolled back and runs again with a savepoint for each write.
 */
export class GroupCommit {
  readonly #connection: Connection;
  readonly #options: Options;
  readonly #statements: Record<"begin" | "rollback" | "savepoint" | "release" | "undo", Statement>;
  #queue: Entry[] = [];
  #running = false;
  /** A write of the last group failed, as many do when many claim the same slot: the next group has savepoints from the start. */
  #failed = false;
  #onDrained: (() => void)[] = [];
  #commits = 0;
  #writes = 0;

  constructor(connection: Connection, options: Options) {
    this.#connection = connection;
    this.#options = options;
    // SQLite would wait for a lock within the call, and this process would answer nobody meanwhile.
    connection.pragma("busy_timeout = 0");
    const prepare = (sql: string) => connection.database.prepare(sql);
    this.#statements = {
      begin: prepare("BEGIN IMMEDIATE"),
      rollback: prepare("ROLLBACK"),
      savepoint: prepare("SAVEPOINT entry"),
      release: prepare("RELEASE entry"),
      undo: prepare("ROLLBACK TO entry"),
    };
  }

  write<T>(fn: (tx: Query) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({
        fn,
        resolve: resolve as Entry["resolve"],
        reject,
        outcome: { value: undefined },
      });
      this.#schedule();
    });
  }

  /** How many writes were asked for so far, and how many commits they shared. */
  get numbers() {
    return { commits: this.#commits, writes: this.#writes };
  }

  /** Resolves when no write is waiting. */
  drained(): Promise<void> {
    if (!this.#running) return Promise.resolve();
    return new Promise((resolve) => this.#onDrained.push(resolve));
  }

  #schedule(): void {
    if (this.#running) return;
    this.#running = true;
    this.#gather();
  }

  /**
   * Commits a single write at once, and several when a turn of the event loop brought no other. Node accepts one connection in each turn:
   * if each had a commit of its own, the last of 64 new clients would wait a second for its first reply.
   */
  #gather(before = 1, since = performance.now()): void {
    setImmediate(() => {
      const count = this.#queue.length;
      const more = count > before && count < GROUP_SIZE && performance.now() - since < gatherMs;
      if (more) this.#gather(count, since);
      else void this.#next();
    });
  }

  async #next(): Promise<void> {
    const group = this.#queue.splice(0, GROUP_SIZE);
    this.#commits++;
    this.#writes += group.length;
    await this.#commit(group);
    if (this.#queue.length > 0) {
      this.#gather();
      return;
    }
    this.#running = false;
    for (const done of this.#onDrained.splice(0)) done();
  }

  async #commit(group: Entry[]): Promise<void> {
    try {
      await this.#transact(group);
    } catch (error) {
      if (this.#connection.database.inTransaction) this.#statements.rollback.run();
      // Also a savepoint may find the disk full.
      const failure = codeOf(error) === undefined ? error : this.#connection.unavailable(error);
      for (const entry of group) entry.reject(failure);
      return;
    }
    for (const { outcome, resolve, reject } of group) {
      if ("error" in outcome) reject(outcome.error);
      else resolve(outcome.value);
    }
    this.#options.afterCommit();
  }

  /** Runs the writes of a group. Throws when all of them failed. */
  async #transact(group: Entry[]): Promise<void> {
    const savepoints = group.length > 1 && this.#failed;
    this.#failed = false;
    await this.#begin();
    if (savepoints || !(await this.#runAll(group))) await this.#runEach(group);
    try {
      this.#connection.commit();
    } catch (error) {
      // When the sync of the WAL failed, the group may still be restored after a crash now.
      throw this.#connection.unavailable(error, {
        outcomeUnknown: codeOf(error)?.startsWith("SQLITE_IOERR") ?? false,
      });
    }
  }

  /** Begins a transaction. Waits for another process that writes, such as a move to another database. */
  async #begin(): Promise<void> {
    for (let waits = 0; ; waits++) {
      try {
        return void this.#statements.begin.run();
      } catch (error) {
        if (!codeOf(error)?.startsWith("SQLITE_BUSY") || waits === mostWaits) throw this.#connection.unavailable(error);
      }
      await pause(waitMs);
    }
  }

  /** Runs the writes without savepoints. False when one failed: then nothing was changed, and a new transaction is open. */
  async #runAll(group: Entry[]): Promise<boolean> {
    for (const entry of group) {
      if (await this.#run(entry)) continue;
      this.#statements.rollback.run();
      await this.#begin();
      // A single write is not run again.
      return group.length === 1;
    }
    return true;
  }

  async #runEach(group: Entry[]): Promise<void> {
    const { savepoint, release, undo } = this.#statements;
    for (const entry of group) {
      savepoint.run();
      if (!(await this.#run(entry))) {
        this.#failed = true;
        undo.run();
      }
      release.run();
    }
  }

  /** Runs a write and stores its outcome. False when it failed. Throws when SQLite rolled back the transaction, as it may on a full disk. */
  async #run(entry: Entry): Promise<boolean> {
    const tx = new Transaction(this.#connection);
    try {
      const value = await (this.#options.strict ? withoutPause(entry.fn, tx) : entry.fn(tx));
      if (tx.failure !== undefined) throw tx.failure;
      entry.outcome = { value };
      return true;
    } catch (error) {
      if (!this.#connection.database.inTransaction) throw this.#connection.unavailable(tx.failure ?? error);
      entry.outcome = { error };
      return false;
    } finally {
      tx.finished = true;
    }
  }
}

class Transaction implements Query {
  finished = false;
  failure: unknown;
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  async one<T>(sql: string, ...values: Value[]): Promise<T | undefined> {
    this.#assertUsable();
    try {
      return this.#connection.one(sql, values) as T | undefined;
    } catch (error) {
      throw this.#doom(error);
    }
  }

  async all<T>(sql: string, ...values: Value[]): Promise<T[]> {
    this.#assertUsable();
    try {
      return this.#connection.all(sql, values) as T[];
    } catch (error) {
      throw this.#doom(error);
    }
  }

  async run(sql: string, ...values: Value[]): Promise<number> {
    this.#assertUsable();
    try {
      return this.#connection.run(sql, values);
    } catch (error) {
      throw this.#doom(error);
    }
  }

  send(sql: string, ...values: Value[]): void {
    this.#assertUsable();
    try {
      this.#connection.run(sql, values);
    } catch (error) {
      this.#doom(error);
    }
  }

  lock(): void {}

  locked<T>(table: string, id: string): Promise<T | undefined> {
    return this.one(`SELECT * FROM ${table} WHERE id = ?`, id);
  }

  held<T>(sql: string, ...values: Value[]): Promise<T | undefined> {
    return this.one(sql, ...values);
  }

  alone<T>(sql: string, ...values: Value[]): Promise<T | undefined> {
    return this.one(sql, ...values);
  }

  #assertUsable(): void {
    if (this.finished)
      throw new Error("This transaction is over: the query was not run. Await every query inside the write callback.");
    if (this.failure !== undefined) throw this.failure;
  }

  #doom(error: unknown): unknown {
    this.failure ??= error;
    return error;
  }
}

/**
 * Detects a callback that awaits something other than its queries, which would block all other writes. Queries resolve at once, so a
 * correct callback ends before the microtask queue is empty. A tick scheduled from a microtask runs right after that, and if the
 * callback is still unfinished then, it awaits something else.
 */
async function withoutPause<T>(fn: (tx: Query) => Promise<T>, tx: Transaction): Promise<T> {
  await null;
  const paused = new Promise<never>((_, reject) => {
    process.nextTick(() => {
      if (!tx.finished) reject(new PausedTransaction());
    });
  });
  return Promise.race([fn(tx), paused]);
}

class PausedTransaction extends Error {
  override name = "PausedTransaction";

  constructor() {
    super(
      "A write callback awaited something other than its queries (a macrotask passed inside the transaction). It was rolled back.",
    );
  }
}
