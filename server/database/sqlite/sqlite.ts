import { chmodSync, closeSync, mkdirSync, openSync, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { Database } from "better-sqlite3";
import { plural } from "../../../src/contract/text/plural.ts";
import type { Held } from "../driver.ts";
import {
  appendOnlyTables,
  type Check,
  guardCheck,
  helpUnless,
  type Query,
  type Store,
  type StoreLog,
  StoreUnavailable,
} from "../port.ts";
import { Checkpoints } from "./checkpoints.ts";
import { Connection, readQueries } from "./connection.ts";
import { sqliteDialect } from "./dialect.ts";
import { GroupCommit } from "./group-commit.ts";
import { lockDataFile } from "./lock.ts";
import { howToInstall, loadSqlite, sqlitePackage } from "./package.ts";
import { QueryCache } from "./query-cache.ts";
import { retire } from "./retired.ts";

export interface SqliteOptions {
  /** Fail a write whose callback awaits anything but its queries. For tests and development. */
  strict?: boolean;
  /** Open read-only: takes no lock, so a server may be running, and refuses writes. For `doctor`. */
  readOnly?: boolean;
  log?: StoreLog | undefined;
}

/** Opens the data file, or creates it with mode 0600. Throws when another process has it open. */
export async function openSqlite(file: string, options: SqliteOptions = {}): Promise<Store> {
  const open = await loadDriver();
  if (options.readOnly) return inspect(file, open);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  refuseNetworkDisk(dirname(file));
  const unlock = lockDataFile(file, open);
  try {
    closeSync(openSync(file, "a", 0o600));
    chmodSync(file, 0o600);
    const cache = new QueryCache();
    const writer = new Connection(open(file), { writes: true, cache });
    requireDurable(writer);
    return new SqliteStore(file, writer, new Connection(open(file), { writes: false, cache }), unlock, options);
  } catch (error) {
    unlock();
    throw error;
  }
}

/** Locks a data file against servers until the returned function is called. Throws when a server is running on it. */
export async function lockSqlite(file: string): Promise<() => void> {
  return lockDataFile(file, await loadDriver());
}

/**
 * Copies the current state of a data file, page by page, while a server may keep writing. A read transaction on the same connection
 * holds the snapshot. Without it, SQLite would start over at each commit of another process and never finish under load.
 */
export async function copySqlite(file: string, target: string, progress: (done: number, total: number) => void): Promise<void> {
  const open = await loadDriver();
  const source = open(file, { fileMustExist: true });
  closeSync(openSync(target, "w", 0o600));
  try {
    source.exec("BEGIN; SELECT 1 FROM sqlite_master");
    const pageBytes = source.pragma("page_size", { simple: true }) as number;
    await source.backup(target, {
      progress({ totalPages, remainingPages }) {
        progress((totalPages - remainingPages) * pageBytes, totalPages * pageBytes);
        return PAGES_AT_ONCE;
      },
    });
  } finally {
    source.close();
  }
}

/** Holds the write lock of a data file. Waits for a running server to end the commit that it is in. */
export async function holdSqlite(file: string): Promise<Held> {
  const open = await loadDriver();
  const connection = new Connection(open(file, { fileMustExist: true }), { writes: true });
  try {
    connection.pragma("busy_timeout = 30000");
    connection.database.exec("BEGIN IMMEDIATE");
  } catch (error) {
    const failure = connection.unavailable(error);
    connection.database.close();
    throw failure;
  }
  const query = readQueries(connection);
  return {
    dialect: sqliteDialect,
    query,
    async retire(reason, change) {
      await change(query);
      retire(connection.database, reason);
      connection.commit();
    },
    close: async () => {
      connection.database.close();
    },
  };
}

/** 16 MiB: large enough to be fast, small enough to interrupt quickly. */
const PAGES_AT_ONCE = 4096;

class SqliteStore implements Store {
  readonly dialect = sqliteDialect;
  readonly shared = false;
  readonly #file: string;
  readonly #writer: Connection;
  readonly #reader: Connection;
  readonly #unlock: () => void;
  readonly #reads: Query;
  readonly #checkpoints: Checkpoints;
  readonly #groups: GroupCommit;
  #closed: Promise<void> | undefined;

  constructor(file: string, writer: Connection, reader: Connection, unlock: () => void, { strict = false, log }: SqliteOptions) {
    this.#file = file;
    this.#writer = writer;
    this.#reader = reader;
    this.#unlock = unlock;
    this.#checkpoints = new Checkpoints(writer.database, log);
    this.#groups = new GroupCommit(writer, {
      strict,
      afterCommit: () => this.#checkpoints.afterCommit(),
    });
    this.#reads = readQueries(reader);
  }

  async read<T>(fn: (q: Query) => Promise<T>): Promise<T> {
    if (this.#closed) throw closing();
    return fn(this.#reads);
  }

  write<T>(fn: (tx: Query) => Promise<T>): Promise<T> {
    return this.#closed ? Promise.reject(closing()) : this.#groups.write(fn);
  }

  numbers() {
    return this.#groups.numbers;
  }

  async check({ thorough = false } = {}): Promise<Check[]> {
    if (this.#closed) throw closing();
    const write = await this.#tryWrite();
    return [...settingsOf(this.#writer, this.#file), write, ...(thorough ? contentsOf(this.#reader) : [])];
  }

  close(): Promise<void> {
    this.#closed ??= this.#release();
    return this.#closed;
  }

  async #tryWrite(): Promise<Check> {
    try {
      await this.write((tx) => tx.run(`PRAGMA user_version = ${this.#reader.pragma("user_version")}`));
      return { name: "write", ok: true, detail: "ok" };
    } catch (error) {
      return { name: "write", ok: false, detail: error instanceof Error ? error.message : String(error) };
    }
  }

  async #release(): Promise<void> {
    await this.#groups.drained();
    this.#checkpoints.stop();
    this.#reader.database.close();
    this.#writer.database.close();
    this.#unlock();
  }
}

function inspect(file: string, open: Opener): Store {
  const reader = new Connection(open(file, { fileMustExist: true }), {
    writes: false,
  });
  // No cache: a server may be writing at the same time.
  const queries = readQueries(reader);
  return {
    dialect: sqliteDialect,
    shared: true,
    read: async (fn) => fn(queries),
    write: async () => {
      throw new Error(`${file} was opened read-only. Nothing was written.`);
    },
    numbers: () => ({}),
    check: async ({ thorough = false } = {}) => [...settingsOf(reader, file), ...(thorough ? contentsOf(reader) : [])],
    close: async () => {
      reader.database.close();
    },
  };
}

/** better-sqlite3 can lower `synchronous` at the first write to a WAL file, so this writes once and then checks the settings. */
function requireDurable(writer: Connection): void {
  const version = writer.pragma("user_version");
  writer.database.exec(`BEGIN IMMEDIATE; PRAGMA user_version = ${version}; COMMIT`);
  const failed = settingsOf(writer, writer.database.name).filter(({ ok }) => !ok);
  if (failed.length === 0) return;
  writer.database.close();
  const settings = failed.map(({ name, detail }) => `${name} is ${detail}`).join(", ");
  throw new Error(`SQLite did not accept the settings for durable writes (${settings}). Nothing was opened. Use a local disk.`);
}

const maxWalBytes = 512 * 2 ** 20;

function settingsOf(connection: Connection, file: string): Check[] {
  const walBytes = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  const expected = { synchronous: 2, journal_mode: "wal", foreign_keys: 1 };
  const settings = Object.entries(expected).map(([name, wanted]) => {
    const value = connection.pragma(name);
    return { name, ok: value === wanted, detail: String(value) };
  });
  return [
    ...settings,
    {
      name: "wal_bytes",
      ok: walBytes < maxWalBytes,
      detail: String(walBytes),
      ...helpUnless(
        walBytes < maxWalBytes,
        "The write-ahead log has grown to 512 MiB or more. Stop the server, which empties it, and start it again.",
      ),
    },
  ];
}

const restore =
  "Stop the server and make a copy of the database as it is. Then restore the last good backup with `playtest serve restore`.";

/**
 * SQLite 3.54 checks a full-text index by what this connection remembers of it from before, and takes what was written since for damage.
 * A search in the same transaction makes it read the index again.
 */
function quickCheck(connection: Connection): string {
  const { database } = connection;
  const indexes = database.prepare("SELECT name FROM sqlite_master WHERE sql LIKE 'CREATE VIRTUAL TABLE %USING fts5%'").pluck();
  database.exec("SAVEPOINT quick_check");
  try {
    for (const name of indexes.all()) database.prepare(`SELECT rowid FROM ${name} WHERE ${name} MATCH 'a' LIMIT 1`).get();
    return String(connection.pragma("quick_check"));
  } finally {
    database.exec("RELEASE quick_check");
  }
}

function contentsOf(connection: Connection): Check[] {
  const integrity = quickCheck(connection);
  const name = "integrity";
  if (integrity !== "ok") return [{ name, ok: false, detail: integrity, help: `The database file is damaged. ${restore}` }];
  const orphans = connection.database.pragma("foreign_key_check") as unknown[];
  return [
    { name, ok: true, detail: integrity },
    {
      name: "foreign_key_check",
      ok: orphans.length === 0,
      detail: `${plural(orphans.length, "row refers", "rows refer")} to a row that does not exist`,
      ...helpUnless(orphans.length === 0, `Something other than this program removed rows. ${restore}`),
    },
    guardOf(connection),
  ];
}

/** What the triggers of the migrations do. One with such a name that does something else protects nothing. */
const guard =
  /^CREATE TRIGGER (\w+)_(unchanged BEFORE UPDATE|kept BEFORE DELETE) ON \1 BEGIN SELECT RAISE\(ABORT, '[^']*'\); END$/;

/** A trigger that only refuses changes, as those of a database that was moved to another do. */
const refusal = /^CREATE TRIGGER \w+ BEFORE (INSERT|UPDATE|DELETE) ON \w+ BEGIN SELECT RAISE\(ABORT, '([^']|'')*'\); END$/;

/**
 * Triggers prevent changes of the rows of some tables. A table that a later migration creates has none yet. Any other trigger or view was
 * made by somebody else, and a trigger changes what this program writes.
 */
function guardOf({ database }: Connection): Check {
  const rows = database.prepare("SELECT type, name, tbl_name, sql FROM sqlite_master WHERE type IN ('table', 'trigger', 'view')");
  const all = rows.all() as { type: string; name: string; tbl_name: string; sql: string | null }[];
  const [tables, others] = [all.filter(({ type }) => type === "table"), all.filter(({ type }) => type !== "table")];
  const right = others.filter(({ tbl_name, sql }) => guard.exec(sql ?? "")?.[1] === tbl_name);
  const lacking = appendOnlyTables
    .filter((table) => tables.some(({ name }) => name === table))
    .map((table) => ({ table, count: right.filter(({ tbl_name }) => tbl_name === table).length }))
    .filter(({ count }) => count < 2)
    .map(({ table, count }) => `${table} has ${count} of its 2 triggers`);
  const strange = others
    .filter(({ sql }) => !refusal.test(sql ?? ""))
    .map(({ type, name }) => `the ${type} ${name} is not of this program`);
  return guardCheck([...lacking, ...strange]);
}

const closing = () => new StoreUnavailable("The server is shutting down. Nothing was changed. Try again in a moment.");

const NETWORK_DISKS = new Map([
  [0x6969, "NFS"],
  [0x517b, "SMB"],
  [0xff534d42, "CIFS"],
  [0xfe534d42, "SMB2"],
]);

function refuseNetworkDisk(folder: string): void {
  const kind = process.platform === "linux" ? NETWORK_DISKS.get(statfsSync(folder).type) : undefined;
  if (!kind) return;
  throw new Error(
    `${folder} is on a network disk (${kind}), where SQLite's locks are not reliable. Nothing was opened. Use a local disk, or set DATABASE_URL to use PostgreSQL.`,
  );
}

type Opener = (path: string, options?: { fileMustExist?: boolean }) => Database;

async function loadDriver(): Promise<Opener> {
  const missing = (cause: unknown) =>
    new Error(
      `SQLite requires the optional package ${sqlitePackage}, which is not installed or was not built for Node.js ${process.versions.node}. ` +
        howToInstall(),
      { cause },
    );
  const Driver = await loadSqlite().catch((error: unknown) => Promise.reject(missing(error)));
  return (path, options) => {
    try {
      return new Driver(path, options);
    } catch (error) {
      throw isMissingBinding(error) ? missing(error) : error;
    }
  };
}

function isMissingBinding(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return /bindings file/.test(error.message) || ("code" in error && error.code === "ERR_DLOPEN_FAILED");
}
