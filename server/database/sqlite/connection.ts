import type { Database, Statement } from "better-sqlite3";
import { assertReadable, assertStorable, type Query, StoreUnavailable, UniqueViolation, type Value } from "../port.ts";
import type { QueryCache } from "./query-cache.ts";

type Row = Record<string, Value>;

interface Prepared {
  /** Unlike that of any other statement of the connection; short, since it is part of many keys. */
  name: string;
  statement: Statement<Value[], Row>;
  /** Columns that may hold an integer: STRICT tables vouch for the others. */
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

  /** `cache`: a reader keeps its answers there, and a writer clears it with each commit. */
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
    // The store checkpoints after it has answered, see sqlite.ts.
    database.pragma("wal_autocheckpoint = 0");
    if (!writes) database.pragma("query_only = ON");
    this.#commit = database.prepare("COMMIT");
  }

  one(sql: string, values: Value[]): Row | undefined {
    return this.#ask("one", sql, values, ({ statement, numeric }) => {
      const row = statement.get(...values);
      if (row) assertExact(row, numeric);
      return row;
    });
  }

  all(sql: string, values: Value[]): Row[] {
    return this.#ask("all", sql, values, ({ statement, numeric }) => {
      const rows = statement.all(...values);
      for (const row of rows) assertExact(row, numeric);
      return rows;
    });
  }

  run(sql: string, values: Value[]): number {
    return this.#ask("run", sql, values, ({ statement }) => statement.run(...values).changes);
  }

  /** Commits with what came before. Readers ask anew afterwards, also where the outcome is not known. */
  commit(): void {
    this.#cache?.clear();
    this.#commit.run();
  }

  pragma(text: string): Value {
    return this.database.pragma(text, { simple: true }) as Value;
  }

  #ask<T>(what: "one" | "all" | "run", sql: string, values: Value[], ask: (prepared: Prepared) => T): T {
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
    return TRANSIENT.test(code) ? unavailable(error, { reading: !this.#writes }) : error;
  }
}

/** The queries of `read`: nothing to finish, so one object serves every request. */
export const readQueries = (connection: Connection): Query => ({
  one: async <T>(sql: string, ...values: Value[]) => connection.one(sql, values) as T | undefined,
  all: async <T>(sql: string, ...values: Value[]) => connection.all(sql, values) as T[],
  run: async (sql, ...values) => connection.run(sql, values),
});

const TRANSIENT = /^SQLITE_(FULL|IOERR|BUSY|LOCKED|READONLY|CANTOPEN|NOMEM|PROTOCOL)/;

/** `reading`: there was nothing to save. */
export function unavailable(
  error: unknown,
  { reading = false, ...options }: { reading?: boolean; outcomeUnknown?: boolean } = {},
): StoreUnavailable {
  if (error instanceof StoreUnavailable) return error;
  const reason = `${codeOf(error) ?? "SQLITE_ERROR"}: ${(error as Error).message}`;
  const text = reading
    ? `The SQLite database cannot be read right now (${reason}).`
    : `The SQLite database cannot be written right now (${reason}). The change was not saved.`;
  return new StoreUnavailable(`${text} Check free space and permissions of the data directory, then try again.`, {
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
