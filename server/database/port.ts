import type { FullText } from "./full-text.ts";

/**
 * The store port: one SQL text for SQLite and for PostgreSQL's protocol.
 *
 * Dialect: `?` placeholders; ids as text; cents, minutes and milliseconds as 64-bit integers; booleans as 0 or 1; JSON as text;
 * `ON CONFLICT … RETURNING`; `LIMIT CAST(? AS INTEGER)`, because SQLite plans a statement with a bare `LIMIT ?` again each time; compare-and-set updates with an affected-row check; keyset paging; column aliases in lower case.
 * No triggers except those that protect the ledger and the audit log, no sequences, advisory locks, `SKIP LOCKED`, `LISTEN`, `now()` or division (SQLite binds numbers as reals).
 */
export type Value = string | number | null | Uint8Array;

export interface Query {
  /** The first row, or undefined. */
  one<T>(sql: string, ...values: Value[]): Promise<T | undefined>;
  all<T>(sql: string, ...values: Value[]): Promise<T[]>;
  /** Runs a statement that returns no rows; the number of rows it changed. */
  run(sql: string, ...values: Value[]): Promise<number>;
  /**
   * Sends a statement without waiting for its result, which saves a round trip. If it fails, the transaction fails, at the latest when it
   * commits. Only inside `write`.
   */
  send(sql: string, ...values: Value[]): void;
  /**
   * Locks the rows of `table` that meet the condition until this write ends, and does not wait for that: the statements after it see what
   * others committed before. Serializable writes that locked or changed the row meanwhile run again. Does nothing on SQLite, where writes
   * run one at a time. Only inside `write`.
   */
  lock(table: "playtests" | "users", condition: string, ...values: Value[]): void;
  /** Locks the row of `table` with this id as `lock` does, and returns it as those before this write left it. */
  locked<T>(table: "playtests" | "users", id: string): Promise<T | undefined>;
  /** As `one`, of one row: until this write ends, it is not deleted, and nobody has it by `alone`. Others can have it too. Only inside `write`. */
  held<T>(sql: string, ...values: Value[]): Promise<T | undefined>;
  /**
   * As `one`, of one row, for which others wait until this write ends. While another write has it by `held`, this one runs again, as after
   * any conflict. Only inside `write`.
   */
  alone<T>(sql: string, ...values: Value[]): Promise<T | undefined>;
}

/**
 * How concurrent writes are isolated from each other. SQLite runs writes one at a time. On PostgreSQL:
 * - `serializable` (the default): SERIALIZABLE. A write that conflicts with another is rolled back and runs again. `server/README.md` says
 *   why each of these needs it.
 * - `rows`: READ COMMITTED with row locks. Writes of different rows never conflict, and writes of the same row wait for each other. It is
 *   for writes whose decisions are all repeated in the condition of an `UPDATE`, enforced by a unique index, or made after `lock`. A
 *   comment at each use says why that holds.
 */
export type Isolation = "serializable" | "rows";

export interface ReadOptions {
  /** A replica of the database may answer, if there is one that has everything that was committed before this read. */
  replica?: boolean;
}

/**
 * The ids of the rows that a write locks. Whatever it decides by is locked by them or in the condition of an `UPDATE`: writes of one
 * transaction see each other's changes, and only those that have an id in common run one after the other.
 */
export type Locks = readonly [string, ...string[]];

export interface WriteOptions {
  isolation?: Isolation;
  /**
   * Writes of this process with the same text run one after the other, and those that wait hold no connection: many writes that will lock
   * the same row do not keep others from the database.
   */
  queue?: string;
  /** For isolation `rows`. On PostgreSQL the write may then share a transaction with others, which costs less than one of its own. */
  locks?: Locks;
}

/** Receives warnings about background work of a driver. pino loggers fit. */
export interface StoreLog {
  warn(context: object, message: string): void;
}

/** The result of one check, shown by `doctor`. */
export interface Check {
  name: string;
  ok: boolean;
  /** It works, but `detail` says what may go wrong and what to do. */
  warning?: boolean;
  detail: string;
  /** For a failed check: what it means and what to do. */
  help?: string;
}

/** Tables whose rows the database itself refuses to change or remove, on SQLite by triggers `TABLE_unchanged` and `TABLE_kept`. */
export const appendOnlyTables = ["ledger_postings", "audit_entries", "audit_links", "billing_documents"] as const;

/** What a failed check means and what to do; nothing for one that did not fail. */
export const helpUnless = (ok: boolean, help: string): Pick<Check, "help"> => (ok ? {} : { help });

/** The check of this protection. `faults` says which table lacks it. */
export const guardCheck = (faults: readonly string[]): Check => ({
  name: "append_only",
  ok: faults.length === 0,
  detail: faults.length === 0 ? "postings, audit entries and invoices cannot be changed or removed" : faults.join("; "),
  ...helpUnless(
    faults.length === 0,
    "Something other than this program changed how the database protects ledger postings, invoices and the audit log. Find out who did, and what was changed since (`--ledger` shows inconsistencies). Then create what is missing as the migration of the table does and remove what is not of this program, or restore the last good backup with `playtest serve restore`.",
  ),
});

/** The SQL that differs between databases. */
export interface Dialect {
  /**
   * SQL for the database's time in ms, by which leases are measured when several processes use it: their own clocks may differ.
   * Undefined when one process uses it, whose clock counts.
   */
  readonly time?: string;
  /** Selects the SQL of a migration statement that has one for each database. */
  readonly variant: "sqlite" | "postgres";
  /** The replacements of `{int}`, `{blob}` and `{strict}` in migrations. */
  readonly words: Readonly<Record<"int" | "blob" | "strict", string>>;
  /** A query for the `name` of the table `?`, without a row if there is no such table. */
  readonly table: string;
  /** A query for the columns of the table `?`, in order: `name`, and `pk`, the position in the primary key or 0. */
  readonly columns: string;
  readonly fullText: FullText;
}

/** Runs a statement that defines tables, on its own. */
export type Define = (sql: string) => Promise<void>;

export interface Store {
  readonly dialect: Dialect;
  /** Whether other processes may use the database at the same time. */
  readonly shared: boolean;
  /**
   * Each query sees everything committed before it. Several queries in one `read` are not one snapshot. Do not modify the rows: they
   * may be shared with other readers. With a replica, `fn` may run a second time, so it must have no effects.
   */
  read<T>(fn: (q: Query) => Promise<T>, options?: ReadOptions): Promise<T>;
  /**
   * Runs `fn` in one transaction and resolves after it is durable. `fn` may run more than once (after serialization failures), so it
   * must have no effects except its queries and must await nothing else. When it throws, the transaction is rolled back. A failed
   * query makes the transaction fail even if `fn` catches the error: use `ON CONFLICT` instead.
   */
  write<T>(fn: (tx: Query) => Promise<T>, options?: WriteOptions): Promise<T>;
  /**
   * What runs definitions of tables outside of transactions, if this database cannot undo those inside. On others they are parts of a
   * `write`.
   */
  separateDefinitions?(): Promise<Define | undefined>;
  /** Runs the checks of the readiness endpoint; `thorough` adds those of `doctor`, which may take seconds. `now` (ms) is compared with the database's clock. */
  check(options?: { thorough?: boolean; now?: number }): Promise<Check[]>;
  /** Numbers of the driver for the metrics: counts of the work so far, or connections at this moment. */
  numbers?(): Readonly<Record<string, number>>;
  /** Finishes pending writes, then closes the database. */
  close(): Promise<void>;
}

/** The store is temporarily unavailable: the disk is full, the database is down, or all retries failed. Rendered as 503. */
export class StoreUnavailable extends Error {
  override name = "StoreUnavailable";
  /** True when the connection was lost during COMMIT: the change may be durable, so callers must check before repeating it. */
  readonly outcomeUnknown: boolean;

  constructor(message: string, options: ErrorOptions & { outcomeUnknown?: boolean } = {}) {
    super(message, options);
    this.outcomeUnknown = options.outcomeUnknown ?? false;
  }
}

/**
 * Thrown inside a write when a row changed after the same write had read it. With isolation `rows`, the write is rolled back and runs
 * again.
 */
export class LostRace extends Error {
  override name = "LostRace";
}

/** A row with the same values in `columns` already exists. */
export class UniqueViolation extends Error {
  override name = "UniqueViolation";
  readonly table: string;
  readonly columns: readonly string[];

  constructor(table: string, columns: readonly string[], options?: ErrorOptions) {
    super(`A row of ${table} with the same ${columns.join(", ")} already exists.`, options);
    this.table = table;
    this.columns = columns;
  }
}

/** Whether `error` is a UniqueViolation, of `table` if given and of exactly `columns` if given. */
export function isUniqueViolation(error: unknown, table?: string, ...columns: string[]): error is UniqueViolation {
  if (!(error instanceof UniqueViolation)) return false;
  if (table !== undefined && error.table !== table) return false;
  return columns.length === 0 || columns.join() === error.columns.join();
}

/** Throws for values that the databases would store differently, or that one of them cannot store. */
export function assertStorable(values: readonly Value[]): void {
  for (const value of values) {
    if (value === undefined || typeof value === "boolean") throw new TypeError(`${value} cannot be stored.`);
    if (typeof value === "number" && !Number.isSafeInteger(value))
      throw new RangeError(`${value} is not an integer within ±2^53.`);
    if (typeof value === "string" && value.includes("\0")) throw new RangeError("Text with a NUL character cannot be stored.");
  }
}

export function assertReadable(column: string, value: number): number {
  if (Number.isSafeInteger(value)) return value;
  throw new RangeError(`Column ${column} has an integer beyond ±2^53, which JavaScript would round.`);
}
