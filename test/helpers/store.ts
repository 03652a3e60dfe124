import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { inject } from "vitest";
import { migrate, migrations } from "../../server/database/migrate.ts";
import { type OpenOptions, openStore } from "../../server/database/open.ts";
import type { Store } from "../../server/database/port.ts";
import { openPostgres } from "../../server/database/postgres/postgres.ts";
import { dataFile } from "../../server/database/sqlite/driver.ts";
import { openSqlite } from "../../server/database/sqlite/sqlite.ts";
import { freshDatabase } from "./postgres.ts";

/** A database of its own for one test, and what removes it again. */
export interface DatabaseLocation {
  options: OpenOptions;
  /** The same database for the test itself: without the restrictions that a server may meet. */
  unrestricted: OpenOptions;
  remove(): Promise<unknown>;
}

export interface TestStore extends Store {
  readonly location: DatabaseLocation;
  /** Closes the store and removes its database. */
  remove(): Promise<void>;
}

/** `empty`: without tables, instead of migrated without rows. `sorted`: by a language, which SQLite does not. */
interface Kind {
  empty?: boolean;
  sorted?: boolean;
}

export interface Driver {
  name: "sqlite" | "postgres";
  location(kind?: Kind): Promise<DatabaseLocation>;
  open(): Promise<TestStore>;
}

export const sqlite: Driver = { name: "sqlite", location: sqliteLocation, open: () => openIn(sqliteLocation) };
const postgres: Driver = { name: "postgres", location: postgresLocation, open: () => openIn(postgresLocation) };

/** Rows for `describe.each`: whatever the store promises holds on both. SQLite has no part in tests of a restricted PostgreSQL. */
export const drivers: Driver[] = inject("restricted") ? [postgres] : inject("withPostgres") ? [sqlite, postgres] : [sqlite];

async function openIn(make: () => Promise<DatabaseLocation>): Promise<TestStore> {
  const location = await make();
  return withRemove(await openStore(location.options), location);
}

function withRemove(store: Store, location: DatabaseLocation): TestStore {
  const remove = async () => {
    await store.close();
    await location.remove();
  };
  return Object.assign(store, { location, remove });
}

/** Opens a database without migrating it. */
export const openUnmigrated = ({ databaseUrl, dataDir = "" }: OpenOptions): Promise<Store> =>
  databaseUrl ? openPostgres(databaseUrl) : openSqlite(dataFile(dataDir), { strict: true });

/** A new database as it was before the migration with this name, such as `004-accounts`. */
export async function openBefore(driver: Driver, migration: string): Promise<TestStore> {
  const position = migrations.findIndex(({ name }) => name === migration);
  if (position < 0) throw new Error(`There is no migration ${migration}.`);
  const location = await driver.location({ empty: true, sorted: true });
  const store = await openUnmigrated(location.options);
  await migrate(store, migrations.slice(0, position));
  return withRemove(store, location);
}

async function sqliteLocation({ empty = false }: Kind = {}): Promise<DatabaseLocation> {
  const dataDir = freshFolder();
  if (!empty) migratedFile(dataDir);
  const opened = { dataDir, strict: true };
  return { options: opened, unrestricted: opened, remove: async () => rmSync(dataDir, { recursive: true, force: true }) };
}

/** Puts a migrated database without rows into the folder, and returns this. */
export function migratedFile(dataDir: string): string {
  copyFileSync(dataFile(inject("sqliteTemplate")), dataFile(dataDir));
  return dataDir;
}

async function postgresLocation(kind: Kind = {}): Promise<DatabaseLocation> {
  const database = await freshDatabase(kind);
  const [opened, unrestricted] = [database.url, database.unrestrictedUrl].map((databaseUrl) => ({ databaseUrl, strict: true }));
  return { options: opened!, unrestricted: unrestricted!, remove: database.drop };
}

/** An empty folder, in memory where possible; gone when the run ends. */
export function freshFolder(): string {
  const parent = join(inject("scratch"), "data");
  mkdirSync(parent, { recursive: true });
  return mkdtempSync(`${parent}/`);
}

/** `store` with leases measured by the test's clock, also on PostgreSQL, where the database's time counts otherwise. */
export const withoutDatabaseTime = (store: Store): Store => ({
  dialect: { ...store.dialect, time: undefined },
  shared: store.shared,
  read: (fn, options) => store.read(fn, options),
  write: (fn, options) => store.write(fn, options),
  check: (options) => store.check(options),
  close: () => store.close(),
});
