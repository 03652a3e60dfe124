import { join } from "node:path";
import { migrate } from "./migrate.ts";
import type { Store, StoreLog } from "./port.ts";
import { openPostgres } from "./postgres/postgres.ts";
import { openSqlite } from "./sqlite/sqlite.ts";

export interface OpenOptions {
  /** `postgres://…`; without it SQLite in `dataDir`. */
  databaseUrl?: string;
  dataDir?: string;
  /** Fail a write whose callback awaits anything but its queries (SQLite). For tests and development. */
  strict?: boolean;
  log?: StoreLog | undefined;
}

/** Opens the database these options name and brings its schema up to date. */
export async function openStore(options: OpenOptions): Promise<Store> {
  const store = await open(options);
  try {
    await migrate(store);
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function open({ databaseUrl, dataDir, strict = false, log }: OpenOptions): Promise<Store> {
  if (databaseUrl !== undefined) return openPostgres(databaseUrl, { log });
  if (dataDir === undefined) throw new Error("No place for the data was named: give a data folder or a database URL.");
  return openSqlite(dataFile(dataDir), { strict, log });
}

export const dataFile = (dataDir: string) => join(dataDir, "playtest.db");
