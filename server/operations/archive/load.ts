import { ConfigError } from "../../config/read.ts";
import type { DatabaseLocation } from "../../database/drivers.ts";
import { applied, isEmpty, migrate, migrations } from "../../database/migrate.ts";
import type { Query, Store } from "../../database/port.ts";
import { firstUsed, type Table, tablesOf } from "../../database/tables.ts";
import type { OnProgress } from "./progress.ts";
import { type Batch, insertBatch, readBatches } from "./rows.ts";

type Location = Pick<DatabaseLocation, "driver" | "dataDir" | "databaseUrl">;

/** Creates a database file from these rows, with the schema they had. The next start of a server migrates it. */
export async function fillFile(location: Location, rows: string, position: number, onProgress: OnProgress): Promise<void> {
  const store = await location.driver.open(location);
  try {
    await migrate(store, migrations.slice(0, position));
    const tables = await store.read((q) => tablesOf(q, store.dialect, migrations.slice(0, position)));
    await eachBatch(rows, tables, onProgress, (batch) => store.write((tx) => insertBatch(tx, batch)));
  } finally {
    await store.close();
  }
}

/** Loads these rows into an empty database: all of them, or none if `damageOf` finds damage. Throws ConfigError when it is not empty. */
export async function fillDatabase(
  location: Location,
  rows: string,
  position: number,
  onProgress: OnProgress,
  damageOf: (q: Query) => Promise<string | undefined>,
): Promise<void> {
  const list = migrations.slice(0, position);
  const store = await location.driver.open(location, { patient: true });
  try {
    await requireNotNewer(store, position);
    await migrate(store, list);
    await store.write(async (tx) => {
      const tables = await tablesOf(tx, store.dialect, list);
      await requireEmpty(tx, tables);
      await eachBatch(rows, tables, onProgress, (batch) => insertBatch(tx, batch));
      const damage = await damageOf(tx);
      if (damage !== undefined) throw new Error(`its database failed the checks (${damage})`);
    });
  } finally {
    await store.close();
  }
}

/** Rows are loaded into the tables that they came from. The next start of a server brings those up to date, and never back. */
async function requireNotNewer(store: Store, position: number): Promise<void> {
  if ((await isEmpty(store)) || (await store.read(applied)).length <= position) return;
  const message =
    "The database already has the tables of a newer version than that of the archive. Nothing was changed. Create a new, empty database and pass it with --database-url.";
  throw Object.assign(new ConfigError(message), { exitCode: 6 });
}

/** Throws ConfigError when the database is not empty. */
export async function requireEmptyDatabase(location: Location): Promise<void> {
  const store = await location.driver.open(location);
  try {
    await store.read(async (q) => requireEmpty(q, await tablesOf(q, store.dialect)));
  } finally {
    await store.close();
  }
}

/** Throws ConfigError when one of these tables has a row. */
export async function requireEmpty(q: Query, tables: readonly Table[]): Promise<void> {
  const used = await firstUsed(q, tables);
  if (used === undefined) return;
  const message = `The database is not empty: it has rows in ${used}. Nothing was changed. Create a new database and pass it with --database-url.`;
  throw Object.assign(new ConfigError(message), { exitCode: 6 });
}

async function eachBatch(
  rows: string,
  tables: readonly Table[],
  onProgress: OnProgress,
  insert: (batch: Batch) => Promise<void>,
): Promise<void> {
  let done = 0;
  for (const batch of readBatches(rows, tables)) {
    await insert(batch);
    done += batch.rows.length;
    onProgress("Loading rows", done);
  }
}
