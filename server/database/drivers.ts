import { existsSync } from "node:fs";
import { join } from "node:path";
import {
  type ChosenLocation,
  type DataLocation,
  type DataLocationOptions,
  dataLocationOf,
  type LocationReport,
} from "../config/data-location.ts";
import { ConfigError } from "../config/read.ts";
import type { Driver } from "./driver.ts";
import { postgresDriver } from "./postgres/driver.ts";
import { sqliteDriver } from "./sqlite/driver.ts";

/** All database drivers. */
export const drivers: readonly Driver[] = [sqliteDriver, postgresDriver];

/** The drivers whose database is a file in the data directory. The first one is used unless a database URL is given. */
export const fileDrivers = drivers.filter((driver) => driver.file !== undefined);

/** A data location and the driver of its database. */
export interface DatabaseLocation extends ChosenLocation {
  driver: Driver;
}

/** The data location for a command. Throws ConfigError for a database URL that no driver supports. */
export function locate(options: DataLocationOptions): DatabaseLocation {
  const location = dataLocationOf(options);
  const driver = driverOf(location);
  if (driver) return { ...location, driver };
  const starts = drivers.flatMap(({ schemes }) => schemes.slice(0, 1)).join(" or ");
  const message = `The database URL from ${location.databaseFrom} does not start with ${starts}. Nothing was opened.`;
  throw Object.assign(new ConfigError(`${message} To use SQLite in the data directory, pass --database-url "".`), {
    exitCode: 1,
  });
}

/** The driver of a database URL; undefined when no driver supports it. */
export const driverOf = ({ databaseUrl }: DataLocation): Driver | undefined =>
  databaseUrl === undefined
    ? fileDrivers[0]
    : drivers.find(({ schemes }) => schemes.some((scheme) => databaseUrl.startsWith(scheme)));

/** False when the database is a file that does not exist. */
export const hasDatabase = ({ driver, dataDir }: DatabaseLocation): boolean =>
  driver.file === undefined || existsSync(join(dataDir, driver.file.names[0]));

/** Locks the data directory against servers whose database is a file in it. Throws when one is running. */
export async function lockDataDir(dataDir: string): Promise<() => void> {
  const locks: (() => void)[] = [];
  const unlock = () => {
    for (const release of locks) release();
  };
  try {
    for (const { file } of fileDrivers) locks.push(await file!.lock(dataDir));
    return unlock;
  } catch (error) {
    unlock();
    throw error;
  }
}

/** The location for output. */
export const reportLocation = (location: DatabaseLocation): LocationReport => ({
  database: location.driver.describe(location),
  databaseFrom: location.databaseFrom,
  dataDir: location.dataDir,
  dataDirFrom: location.dataDirFrom,
});
