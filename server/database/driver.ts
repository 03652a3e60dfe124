import type { DataLocation } from "../config/data-location.ts";
import type { Dialect, Query, Store, StoreLog } from "./port.ts";

export interface DriverOptions {
  /** Fail a write whose callback awaits anything but its queries, where the driver can tell. For tests and development. */
  strict?: boolean;
  /** Wait for a query however long it takes: a migration or a check of a large database. */
  patient?: boolean;
  log?: StoreLog | undefined;
}

/** A database as it is at one moment, whatever a server does to it meanwhile. */
export interface Snapshot {
  readonly dialect: Dialect;
  readonly query: Query;
  close(): Promise<void>;
}

/** A kind of database: a folder beside this file, and a line in drivers.ts. */
export interface Driver {
  /** In backups and in JSON. */
  readonly name: string;
  /** What the URLs of its databases start with; none: its database is a file in the data directory. */
  readonly schemes: readonly string[];
  readonly file?: DatabaseFile;
  /** The database for a person to read, without passwords. */
  describe(location: DataLocation): string;
  /** Opens the database; a file is created. */
  open(location: DataLocation, options?: DriverOptions): Promise<Store>;
  /** Opens the database only to look at it; a server may be running on it. */
  inspect(location: DataLocation): Promise<Store>;
  snapshot(location: DataLocation): Promise<Snapshot>;
}

/** What is done with a database that is a file. */
export interface DatabaseFile {
  /** In the data directory and in backups: the database itself, then what it may have beside it. */
  readonly names: readonly [string, ...string[]];
  readonly lockName: string;
  /** Keeps servers off the database until the result is called. Throws when one runs on it. */
  lock(dataDir: string): Promise<() => void>;
  /** Copies the database as it is at this moment to `target` while a server may go on writing. */
  copy(dataDir: string, target: string, onProgress: (done: number, total: number) => void): Promise<void>;
  /** Opens a copy only to look at it. */
  inspectCopy(path: string): Promise<Store>;
}
