/**
 * The store port: one SQL text for SQLite and for PostgreSQL's protocol.
 *
 * Dialect: `?` placeholders; ids text; cents, minutes and milliseconds as 64-bit integers; booleans 0/1; JSON as text;
 * `ON CONFLICT … RETURNING`; `LIMIT CAST(? AS INTEGER)`, because SQLite plans a statement with a bare `LIMIT ?` anew each time; compare-and-set updates with an affected-row check; keyset paging; column aliases in lower case.
 * No triggers but the guard of the ledger, no sequences, advisory locks, `SKIP LOCKED`, `LISTEN`, `now()` or division (SQLite binds numbers as reals).
 */
export type Value = string | number | null | Uint8Array;

export interface Query {
  /** The first row, or undefined. */
  one<T>(sql: string, ...values: Value[]): Promise<T | undefined>;
  all<T>(sql: string, ...values: Value[]): Promise<T[]>;
  /** Runs a statement that returns no rows; the number of rows it changed. */
  run(sql: string, ...values: Value[]): Promise<number>;
}

/** Where a driver says what no caller waits for: pino's loggers fit. */
export interface StoreLog {
  warn(context: object, message: string): void;
}

/** One line of `doctor`. */
export interface Check {
  name: string;
  ok: boolean;
  detail: string;
  /** Where it failed: what that means, and what to do. */
  help?: string;
}

/** Whether the database itself refuses to change or remove a posting. */
export const guardCheck = (ok: boolean, found: string): Check => ({
  name: "postings_guard",
  ok,
  detail: ok ? "postings cannot be changed or removed" : found,
  ...(!ok && {
    help: "The database no longer refuses to change the books. Find out who took the guard away and what they changed since (`--ledger` shows what does not add up), and make it anew as the first migration does.",
  }),
});

/** How a database spells what not all databases spell alike. */
export interface Dialect {
  /** Which text it takes where a migration has one for each. */
  readonly variant: "sqlite" | "postgres";
  /** What `{int}`, `{blob}` and `{strict}` of a migration stand for. */
  readonly words: Readonly<Record<"int" | "blob" | "strict", string>>;
  /** Query: the `name` of the table `?`, if there is such a table. */
  readonly table: string;
  /** Query: `name` and place in the primary key (`pk`, 0: not part of it) of each column of the table `?`, in order. */
  readonly columns: string;
}

export interface Store {
  readonly dialect: Dialect;
  /** Other processes may use the database at the same time. */
  readonly shared: boolean;
  /**
   * Each query sees everything committed before it; several queries in one `read` are not one snapshot. Rows may be shared with
   * other readers: they are not to be changed.
   */
  read<T>(fn: (q: Query) => Promise<T>): Promise<T>;
  /**
   * Runs `fn` in one transaction and resolves after it is durable. `fn` may run more than once (serialization
   * failures), so it must be pure but for its queries, and it may await nothing but them. Throwing rolls back.
   * A failed query dooms the transaction, even when `fn` catches its error: use `ON CONFLICT` instead.
   */
  write<T>(fn: (tx: Query) => Promise<T>): Promise<T>;
  /** What readiness asks; `thorough` adds what `doctor` asks and may take seconds on a large database. `now` (ms) is compared with the database's clock. */
  check(options?: { thorough?: boolean; now?: number }): Promise<Check[]>;
  /** Finishes the writes that wait, then lets go of the database. */
  close(): Promise<void>;
}

/** The store cannot serve just now: full disk, database gone, retries used up. Answers 503. */
export class StoreUnavailable extends Error {
  override name = "StoreUnavailable";
  /** True when the connection was lost during COMMIT: the change may be durable, so it must be looked up, not repeated. */
  readonly outcomeUnknown: boolean;

  constructor(message: string, options: ErrorOptions & { outcomeUnknown?: boolean } = {}) {
    super(message, options);
    this.outcomeUnknown = options.outcomeUnknown ?? false;
  }
}

/** A row with these values of `columns` exists already. */
export class UniqueViolation extends Error {
  override name = "UniqueViolation";
  readonly table: string;
  readonly columns: readonly string[];

  constructor(table: string, columns: readonly string[], options?: ErrorOptions) {
    super(`A row of ${table} with the same ${columns.join(", ")} exists already.`, options);
    this.table = table;
    this.columns = columns;
  }
}

/** Whether `error` says that a row exists already, in `table` if named, for exactly `columns` if named. */
export function isUniqueViolation(error: unknown, table?: string, ...columns: string[]): error is UniqueViolation {
  if (!(error instanceof UniqueViolation)) return false;
  if (table !== undefined && error.table !== table) return false;
  return columns.length === 0 || columns.join() === error.columns.join();
}

/** Refuses what one of the databases would store differently from the other, or not at all. */
export function assertStorable(values: readonly Value[]): void {
  for (const value of values) {
    if (typeof value === "number" && !Number.isSafeInteger(value))
      throw new RangeError(`${value} is not a whole number within ±2^53.`);
    if (typeof value === "string" && value.includes("\0")) throw new RangeError("Text with a NUL character cannot be stored.");
  }
}

export function assertReadable(column: string, value: number): number {
  if (Number.isSafeInteger(value)) return value;
  throw new RangeError(`Column ${column} holds a whole number beyond ±2^53, which JavaScript would round.`);
}
