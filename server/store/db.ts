/**
 * The store port: one SQL text for SQLite and for PostgreSQL's protocol.
 *
 * Dialect: `?` placeholders; ids text; cents, minutes and milliseconds as 64-bit integers; booleans 0/1; JSON as text;
 * `ON CONFLICT … RETURNING`; compare-and-set updates with an affected-row check; keyset paging. No triggers, sequences,
 * advisory locks, `SKIP LOCKED`, `LISTEN` or `now()`.
 */
export type Value = string | number | null | Uint8Array;

export interface Query {
  /** The first row, or undefined. */
  one<T>(sql: string, ...values: Value[]): Promise<T | undefined>;
  all<T>(sql: string, ...values: Value[]): Promise<T[]>;
  /** Runs a statement that returns no rows; the number of rows it changed. */
  run(sql: string, ...values: Value[]): Promise<number>;
}

export interface Store {
  readonly dialect: "sqlite" | "postgres";
  read<T>(fn: (q: Query) => Promise<T>): Promise<T>;
  /**
   * Runs `fn` in one transaction and resolves after it is durable. `fn` may run more than once (serialization
   * failures), so it must be pure but for its queries, and it may await nothing but them. Throwing rolls back.
   */
  write<T>(fn: (tx: Query) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** The store cannot serve just now: full disk, database gone, retries used up. Answers 503. */
export class StoreUnavailable extends Error {
  override name = "StoreUnavailable";
}
