import type { Database, Statement } from "better-sqlite3";
import { assertReadable, assertStorable, type Query, StoreUnavailable, UniqueViolation, type Value } from "./db.ts";
import type { ReadMemory } from "./sqlite-memory.ts";

type Row = Record<string, Value>;

interface Prepared {
  statement: Statement<Value[], Row>;
  /** Columns that may hold an integer: STRICT tables vouch for the others. */
  numeric: string[];
}

const STATEMENTS_KEPT = 1000;

/** One SQLite connection with its prepared statements. Everything here is synchronous. */
export class Connection {
  readonly database: Database;
  readonly #writes: boolean;
  readonly #prepared = new Map<string, Prepared>();

  constructor(database: Database, { writes }: { writes: boolean }) {
    this.database = database;
    this.#writes = writes;
    database.pragma("busy_timeout = 5000");
    if (writes) database.pragma("journal_mode = WAL");
    database.pragma("synchronous = FULL");
    database.pragma("foreign_keys = ON");
    database.pragma("trusted_schema = OFF");
    database.pragma("temp_store = MEMORY");
    // The store checkpoints after it has answered, see sqlite.ts.
    database.pragma("wal_autocheckpoint = 0");
    if (!writes) database.pragma("query_only = ON");
  }

  one(sql: string, values: Value[]): Row | undefined {
    try {
      const { statement, numeric } = this.#prepare(sql, values);
      const row = statement.get(...values);
      if (row) assertExact(row, numeric);
      return row;
    } catch (error) {
      throw this.#translate(error);
    }
  }

  all(sql: string, values: Value[]): Row[] {
    try {
      const { statement, numeric } = this.#prepare(sql, values);
      const rows = statement.all(...values);
      for (const row of rows) assertExact(row, numeric);
      return rows;
    } catch (error) {
      throw this.#translate(error);
    }
  }

  run(sql: string, values: Value[]): number {
    try {
      return this.#prepare(sql, values).statement.run(...values).changes;
    } catch (error) {
      throw this.#translate(error);
    }
  }

  pragma(text: string): Value {
    return this.database.pragma(text, { simple: true }) as Value;
  }

  #prepare(sql: string, values: Value[]): Prepared {
    assertStorable(values);
    const known = this.#prepared.get(sql);
    if (known) return known;
    const statement = this.database.prepare<Value[], Row>(sql);
    const columns = statement.reader ? statement.columns() : [];
    const numeric = columns.filter(({ type }) => type !== "TEXT" && type !== "BLOB").map(({ name }) => name);
    if (this.#prepared.size >= STATEMENTS_KEPT) this.#prepared.delete(this.#prepared.keys().next().value ?? "");
    const prepared = { statement, numeric };
    this.#prepared.set(sql, prepared);
    return prepared;
  }

  #translate(error: unknown): unknown {
    const code = codeOf(error);
    if (code === undefined) return error;
    if (code === "SQLITE_CONSTRAINT_UNIQUE" || code === "SQLITE_CONSTRAINT_PRIMARYKEY") return uniqueViolation(error as Error);
    if (code === "SQLITE_READONLY" && !this.#writes) return error;
    return TRANSIENT.test(code) ? unavailable(error) : error;
  }
}

/** The queries of `read`: nothing to finish, so one object serves every request. */
export function readQueries(connection: Connection, memory?: ReadMemory): Query {
  const recall = <T>(sql: string, values: Value[], ask: () => T) => (memory ? memory.recall(sql, values, ask) : ask());
  return {
    one: async <T>(sql: string, ...values: Value[]) => recall(sql, values, () => connection.one(sql, values)) as T | undefined,
    all: async <T>(sql: string, ...values: Value[]) => recall(sql, values, () => connection.all(sql, values)) as T[],
    run: async (sql, ...values) => connection.run(sql, values),
  };
}

const TRANSIENT = /^SQLITE_(FULL|IOERR|BUSY|LOCKED|READONLY|CANTOPEN|NOMEM|PROTOCOL)/;

export function unavailable(error: unknown, options: { outcomeUnknown?: boolean } = {}): StoreUnavailable {
  if (error instanceof StoreUnavailable) return error;
  const { message } = error as Error;
  const text = `The SQLite database cannot be written just now (${codeOf(error) ?? "SQLITE_ERROR"}: ${message}). The change was not saved.`;
  return new StoreUnavailable(`${text} Check free space and permissions of the data folder, then try again.`, {
    cause: error,
    ...options,
  });
}

export function codeOf(error: unknown): string | undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" && code.startsWith("SQLITE_") ? code : undefined;
}

/** The message is `UNIQUE constraint failed: table.column, table.column`, or `index 'name'` for an index on expressions. */
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
