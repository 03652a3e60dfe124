import type { DataLocation } from "../config/data-location.ts";
import type { Driver, DriverOptions } from "./driver.ts";
import { driverOf } from "./drivers.ts";
import { behind, isEmpty, migrate } from "./migrate.ts";
import type { Store } from "./port.ts";

export interface OpenOptions extends DriverOptions {
  /** Without it the database is a file in `dataDir`. */
  databaseUrl?: string | undefined;
  dataDir?: string;
  /** Called before the first write, for a database that is not empty. When it throws, nothing was changed. */
  beforeChange?: ((store: Store) => Promise<void>) | undefined;
}

/** Opens the database and applies pending migrations. */
export async function openStore({ databaseUrl, dataDir = "", beforeChange, ...options }: OpenOptions): Promise<Store> {
  const location = { databaseUrl, dataDir };
  const driver = driverOf(location);
  if (!driver || (driver.file && dataDir === "")) throw new Error("A data directory or a database URL is required.");
  const store = await driver.open(location, options);
  try {
    if (beforeChange && !(await isEmpty(store))) await beforeChange(store);
    // A statement that changes a large table may take longer than a query may.
    if (!driver.file && (await behind(store))) await migratePatiently(driver, location);
    else await migrate(store);
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function migratePatiently(driver: Driver, location: DataLocation): Promise<void> {
  const store = await driver.open(location, { patient: true });
  try {
    await migrate(store);
  } finally {
    await store.close();
  }
}
