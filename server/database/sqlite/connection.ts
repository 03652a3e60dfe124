import { dirname } from "node:path";
import type { Database, Statement } from "better-sqlite3";
import { assertReadable, assertStorable, type Query, StoreUnavailable, UniqueViolation, type Value } from "../port.ts";
import { footprintOf } from "./footprint.ts";
import type { QueryCache, Table } from "./query-cache.ts";
import { retiredReason } from "./retired.ts";

type Row = Record<string, Value>;

interface Prepared {
  /** Unique within the connection. Short, because it is part of many cache keys. */
  name: string;
  statement: Statement<Value[], Row>;
  /** Columns that may contain an integer. STRICT tables guarantee the types of the others. */
  numeric: string[];
  /** What it reads, if it only reads, and what it writes. Undefined if that is not certain or not known yet, or if there is no cache. */
  reads: readonly Table[] | undefined;
  writes: readonly Table[] | undefined;
  /** Whether its tables were looked for. That takes longer than most statements, and many run once only, at the start. */
  explained: boolean;
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

  /** `cache`: where the results of a reader and a writer are kept. The writer says there which tables it changes. */
  constructor(database: Database, { writes, cache }: { writes: boolean; cache?: QueryCache }) {
    this.database = database;
    this.#writes = writes;
    this.#cache = cache;
    database.pragma("busy_timeout = 5000");
    if (writes) database.pragma("journal_mode = WAL");
    database.pragma("synchronous = FULL");
    database.pragma("foreign_keys = ON");
    database.pragma("trusted_schema = OFF");
    // Without it, what a deleted row said stays readable in free parts of the file.
    if (writes) database.pragma("secure_delete = ON");
    database.pragma("temp_store = MEMORY");
    // In KiB. The default of 2 MB has no room for the ends of the indexes that every order writes, which are read from the file again then.
    database.pragma("cache_size = -16000");
    // The store runs checkpoints itself, after sending replies (see checkpoints.ts).
    database.pragma("wal_autocheckpoint = 0");
    if (!writes) database.pragma("query_only = ON");
    // SQLite's own knows only ASCII letters.
    database.function("lower", { deterministic: true }, (text) => (typeof text === "string" ? text.toLowerCase() : text));
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

  /** Commits the transaction. What was read from the tables that it changed is forgotten, even when the outcome is unknown. */
  commit(): void {
    this.#cache?.committing();
    this.#commit.run();
  }

  pragma(text: string): Value {
    return this.database.pragma(text, { simple: true }) as Value;
  }

  /** The error to throw when SQLite cannot be used at the moment. Says nothing about a change where this connection only reads. */
  unavailable(error: unknown, options: { outcomeUnknown?: boolean } = {}): StoreUnavailable {
    if (error instanceof StoreUnavailable) return error;
    const { name } = this.database;
    const reason = `${codeOf(error) ?? "SQLITE_ERROR"}: ${(error as Error).message}`;
    const text = this.#writes
      ? `The SQLite database ${name} cannot be written right now (${reason}). The change was not saved.`
      : `The SQLite database ${name} cannot be read right now (${reason}).`;
    const remedy = `Check the free space and the permissions of the folder ${dirname(name)}, then try again.`;
    return new StoreUnavailable(`${text} ${remedy}`, { cause: error, ...options });
  }

  #run<T>(what: "one" | "all" | "run", sql: string, values: Value[], ask: (prepared: Prepared) => T): T {
    try {
      const prepared = this.#prepare(sql, values);
      const { reads, writes } = prepared;
      if (!this.#cache) return ask(prepared);
      if (!prepared.statement.readonly) this.#cache.changing(writes);
      // A transaction that changed a table sees its own changes, which nobody else may see yet.
      if (!reads || what === "run" || (this.#writes && reads.some(({ changed }) => changed))) return ask(prepared);
      return this.#cache.recall(what + prepared.name, values, reads, () => ask(prepared));
    } catch (error) {
      throw this.#translate(error);
    }
  }

  #prepare(sql: string, values: Value[]): Prepared {
    assertStorable(values);
    const known = this.#prepared.get(sql);
    if (known) {
      if (!known.explained) Object.assign(known, this.#tablesOf(known.statement, sql, values), { explained: true });
      return known;
    }
    const statement = this.database.prepare<Value[], Row>(sql);
    // A change of the schema may give statements other foreign keys and triggers.
    if (!statement.readonly && !/^(INSERT|UPDATE|DELETE|WITH|PRAGMA)\b/.test(sql)) this.#prepared.clear();
    const columns = statement.reader ? statement.columns() : [];
    const numeric = columns.filter(({ type }) => type !== "TEXT" && type !== "BLOB").map(({ name }) => name);
    if (this.#prepared.size >= STATEMENTS_KEPT) this.#prepared.delete(this.#prepared.keys().next().value ?? "");
    const prepared = { name: this.#newName(), statement, numeric, reads: undefined, writes: undefined, explained: false };
    this.#prepared.set(sql, prepared);
    return prepared;
  }

  /** Of its own on the reader and on the writer. A space ends it, because values follow. */
  #newName(): string {
    return `${this.#writes ? "w" : "r"}${this.#named++} `;
  }

  #tablesOf(statement: Statement, sql: string, values: Value[]): Pick<Prepared, "reads" | "writes"> {
    const cache = this.#cache;
    if (!cache || sql.startsWith("EXPLAIN")) return { reads: undefined, writes: undefined };
    const { read, written } = footprintOf(this.database, sql, values);
    const tables = (names: readonly string[] | undefined) => names?.map((name) => cache.table(name));
    return { reads: statement.readonly ? tables(read) : undefined, writes: tables(written) };
  }

  #translate(error: unknown): unknown {
    const code = codeOf(error);
    if (code === undefined) return error;
    if (code === "SQLITE_CONSTRAINT_UNIQUE" || code === "SQLITE_CONSTRAINT_PRIMARYKEY") return uniqueViolation(error as Error);
    if (code === "SQLITE_READONLY" && !this.#writes) return error;
    const retired = retiredReason(error);
    if (retired !== undefined) return new StoreUnavailable(`${retired} The change was not saved.`, { cause: error });
    return TRANSIENT.test(code) ? this.unavailable(error) : error;
  }
}

/** The queries of `read`. One object serves all requests, because there is no transaction to finish. */
export const readQueries = (connection: Connection): Query => ({
  one: async <T>(sql: string, ...values: Value[]) => connection.one(sql, values) as T | undefined,
  all: async <T>(sql: string, ...values: Value[]) => connection.all(sql, values) as T[],
  run: async (sql, ...values) => connection.run(sql, values),
  send: outsideOfWrite,
  lock: outsideOfWrite,
  locked: outsideOfWrite,
  held: outsideOfWrite,
  alone: outsideOfWrite,
});

function outsideOfWrite(): never {
  throw new Error("A statement was sent outside of a write. It was not run.");
}

const TRANSIENT = /^SQLITE_(FULL|IOERR|BUSY|LOCKED|READONLY|CANTOPEN|NOMEM|PROTOCOL)/;

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
