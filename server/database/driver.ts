import type { DataLocation } from "../config/data-location.ts";
import type { Dialect, Query, Store, StoreLog } from "./port.ts";

export interface DriverOptions {
  /** Fail a write whose callback awaits anything but its queries, if the driver can detect that. For tests and development. */
  strict?: boolean;
  /** Disable the query timeout, for migrations and checks of large databases. */
  patient?: boolean;
  log?: StoreLog | undefined;
  /** Another server with a copy of the database, for reads: see `database.readUrl` of the configuration. */
  readUrl?: string | undefined;
}

/** A consistent view of a database at one moment, unaffected by later writes. */
export interface Snapshot {
  readonly dialect: Dialect;
  readonly query: Query;
  close(): Promise<void>;
}

/** A database that nobody else can write until it is closed. Its queries see everything that was committed before. */
export interface Held extends Snapshot {
  /** Runs `change`, commits, and from then on the database refuses every further write with `reason`, in running servers too. */
  retire(reason: string, change: (tx: Query) => Promise<void>): Promise<void>;
}

/** A kind of database. Each has a folder beside this file and is listed in drivers.ts. */
export interface Driver {
  /** The driver's name in backups and in JSON output. */
  readonly name: string;
  /** The URL schemes of its databases. Empty when its database is a file in the data directory. */
  readonly schemes: readonly string[];
  readonly file?: DatabaseFile;
  /** The database in readable form, without passwords. */
  describe(location: DataLocation): string;
  /** Opens the database. Creates the file if it does not exist. */
  open(location: DataLocation, options?: DriverOptions): Promise<Store>;
  /** Opens the database read-only. A server may be running on it. */
  inspect(location: DataLocation, options?: Pick<DriverOptions, "readUrl">): Promise<Store>;
  snapshot(location: DataLocation): Promise<Snapshot>;
  /**
   * Fills an empty database with the tables of this program: all that `work` wrote, or nothing if it throws. It may take hours. References
   * between rows are checked when it ends, so that rows can be written and removed in any order. Only of databases that are not files.
   */
  fill?(location: DataLocation, work: (tx: Query) => Promise<void>): Promise<void>;
}

/** Operations on a database that is a file. */
export interface DatabaseFile {
  /** File names in the data directory and in backups: first the database, then the files that may belong to it. */
  readonly names: readonly [string, ...string[]];
  readonly lockName: string;
  /** Locks the database against servers until the returned function is called. Throws when a server is running on it. */
  lock(dataDir: string): Promise<() => void>;
  /** Copies the current state of the database to `target`. A server may keep writing meanwhile. */
  copy(dataDir: string, target: string, onProgress: (done: number, total: number) => void): Promise<void>;
  /** Keeps everybody, also a running server, from writing to the database. The operating system ends that when this process dies. */
  hold(dataDir: string): Promise<Held>;
  /** Opens a copy read-only. */
  inspectCopy(path: string): Promise<Store>;
}
