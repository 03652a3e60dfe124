import type { Database, Statement } from "better-sqlite3";
import { assertReadable, assertStorable, type Query, StoreUnavailable, UniqueViolation, type Value } from "../port.ts";
import type { QueryCache } from "./query-cache.ts";
import { retiredReason } from "./retired.ts";

type Row = Record<string, Value>;

interface Prepared {
  /** Unique within the connection. Short, because it is part of many cache keys. */
  name: string;
  statement: Statement<Value[], Row>;
  /** Columns that may contain an integer. STRICT tables guarantee the types of the others. */
  numeric: string[];
}

const STATEMENTS_KEPT = 1000;

/** One SQLite connection with its prepared statements. Everything here is synchronous. */
export class Connection {
  readonly database: Database;
  readonly #writes: boolean;
  readonly #cache: QueryCache | undefined;
  readonly #commit: Statement;
  readonly #prepared = new Map<string, Prepared>();
  #named = 0;

  /** `cache`: a reader stores its results there, and the writer clears it before each commit. */
  constructor(database: Database, { writes, cache }: { writes: boolean; cache?: QueryCache }) {
    this.database = database;
    this.#writes = writes;
    this.#cache = cache;
    database.pragma("busy_timeout = 5000");
    if (writes) database.pragma("journal_mode = WAL");
    database.pragma("synchronous = FULL");
    database.pragma("foreign_keys = ON");
    database.pragma("trusted_schema = OFF");
    database.pragma("temp_store = MEMORY");
    // The store runs checkpoints itself, after sending replies (see checkpoints.ts).
    database.pragma("wal_autocheckpoint = 0");
    if (!writes) database.pragma("query_only = ON");
    this.#commit = database.prepare("COMMIT");
  }

  one(sql: string, values: Value[]): Row | undefined {
    return this.#run("one", sql, values, ({ statement, numeric }) => {
      const row = statement.get(...values);
      if (row) assertExact(row, numeric);
      return row;
    });
  }

  all(sql: string, values: Value[]): Row[] {
    return this.#run("all", sql, values, ({ statement, numeric }) => {
      const rows = statement.all(...values);
      for (const row of rows) assertExact(row, numeric);
      return rows;
    });
  }

  run(sql: string, values: Value[]): number {
    return this.#run("run", sql, values, ({ statement }) => statement.run(...values).changes);
  }

  /** Commits the transaction. The query cache is cleared, even when the outcome is unknown. */
  commit(): void {
    this.#cache?.clear();
    this.#commit.run();
  }

  pragma(text: string): Value {
    return this.database.pragma(text, { simple: true }) as Value;
  }

  #run<T>(what: "one" | "all" | "run", sql: string, values: Value[], ask: (prepared: Prepared) => T): T {
    try {
      const prepared = this.#prepare(sql, values);
      if (!this.#cache || this.#writes || what === "run") return ask(prepared);
      return this.#cache.recall(what + prepared.name, values, () => ask(prepared));
    } catch (error) {
      throw this.#translate(error);
    }
  }

  #prepare(sql: string, values: Value[]): Prepared {
    assertStorable(values);
    const known = this.#prepared.get(sql);
    if (known) return known;
    const statement = this.database.prepare<Value[], Row>(sql);
    const columns = statement.reader ? statement.columns() : [];
    const numeric = columns.filter(({ type }) => type !== "TEXT" && type !== "BLOB").map(({ name }) => name);
    if (this.#prepared.size >= STATEMENTS_KEPT) this.#prepared.delete(this.#prepared.keys().next().value ?? "");
    const prepared = { name: String(this.#named++), statement, numeric };
    this.#prepared.set(sql, prepared);
    return prepared;
  }

  #translate(error: unknown): unknown {
    const code = codeOf(error);
    if (code === undefined) return error;
    if (code === "SQLITE_CONSTRAINT_UNIQUE" || code === "SQLITE_CONSTRAINT_PRIMARYKEY") return uniqueViolation(error as Error);
    if (code === "SQLITE_READONLY" && !this.#writes) return error;
    const retired = retiredReason(error);
    if (retired !== undefined) return new StoreUnavailable(`${retired} The change was not saved.`, { cause: error });
    return TRANSIENT.test(code) ? unavailable(error, { reading: !this.#writes }) : error;
  }
}

/** The queries of `read`. One object serves all requests, because there is no transaction to finish. */
export const readQueries = (connection: Connection): Query => ({
  one: async <T>(sql: string, ...values: Value[]) => connection.one(sql, values) as T | undefined,
  all: async <T>(sql: string, ...values: Value[]) => connection.all(sql, values) as T[],
  run: async (sql, ...values) => connection.run(sql, values),
  send: outsideOfWrite,
  lock: outsideOfWrite,
});

function outsideOfWrite(): never {
  throw new Error("A statement was sent outside of a write. It was not run.");
}

const TRANSIENT = /^SQLITE_(FULL|IOERR|BUSY|LOCKED|READONLY|CANTOPEN|NOMEM|PROTOCOL)/;

/** `reading` leaves out the sentence about the change, because there was none. */
export function unavailable(
  error: unknown,
  { reading = false, ...options }: { reading?: boolean; outcomeUnknown?: boolean } = {},
): StoreUnavailable {
  if (error instanceof StoreUnavailable) return error;
  const reason = `${codeOf(error) ?? "SQLITE_ERROR"}: ${(error as Error).message}`;
  const text = reading
    ? `The SQLite database cannot be read right now (${reason}).`
    : `The SQLite database cannot be written right now (${reason}). The change was not saved.`;
  return new StoreUnavailable(`${text} Check the free space and the permissions of the data directory, then try again.`, {
    cause: error,
    ...options,
  });
}

export function codeOf(error: unknown): string | undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" && code.startsWith("SQLITE_") ? code : undefined;
}

/** Reads the columns from `UNIQUE constraint failed: table.column, table.column`; `index 'name'` for an index on expressions. */
function uniqueViolation(error: Error): UniqueViolation {
  const parts = error.message.slice(error.message.indexOf(": ") + 2).split(", ");
  const [table = ""] = parts[0]?.split(".") ?? [];
  return new UniqueViolation(
    table,
    parts.map((part) => part.slice(part.indexOf(".") + 1)),
    { cause: error },
  );
}

function assertExact(row: Row, numeric: string[]): void {
  for (const column of numeric) {
    const value = row[column];
    if (typeof value === "number") assertReadable(column, value);
  }
}
