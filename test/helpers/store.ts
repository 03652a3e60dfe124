import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { inject } from "vitest";
import { type OpenOptions, openStore } from "../../server/database/open.ts";
import type { Store } from "../../server/database/port.ts";
import { dataFile } from "../../server/database/sqlite/driver.ts";
import { freshDatabase } from "./postgres.ts";

/** A database of its own for one test, and what removes it again. */
export interface Place {
  options: OpenOptions;
  remove(): Promise<unknown>;
}

export interface TestStore extends Store {
  readonly place: Place;
  /** Closes the store and removes its database. */
  remove(): Promise<void>;
}

export interface Driver {
  name: "sqlite" | "postgres";
  /** A migrated database without rows, or an empty one. */
  place(options?: { empty?: boolean }): Promise<Place>;
  open(): Promise<TestStore>;
}

/** Rows for `describe.each`: whatever the store promises holds on both. */
export const drivers: Driver[] = [
  { name: "sqlite", place: sqlitePlace, open: () => openIn(sqlitePlace) },
  { name: "postgres", place: postgresPlace, open: () => openIn(postgresPlace) },
];

async function openIn(make: () => Promise<Place>): Promise<TestStore> {
  const place = await make();
  const store = await openStore(place.options);
  const remove = async () => {
    await store.close();
    await place.remove();
  };
  return Object.assign(store, { place, remove });
}

async function sqlitePlace({ empty = false } = {}): Promise<Place> {
  const dataDir = freshFolder();
  if (!empty) copyFileSync(dataFile(inject("sqliteTemplate")), dataFile(dataDir));
  return { options: { dataDir, strict: true }, remove: async () => rmSync(dataDir, { recursive: true, force: true }) };
}

async function postgresPlace(options: { empty?: boolean } = {}): Promise<Place> {
  const database = await freshDatabase(options);
  return { options: { databaseUrl: database.url, strict: true }, remove: database.drop };
}

/** An empty folder, in memory where possible; gone when the run ends. */
export function freshFolder(): string {
  const parent = join(inject("scratch"), "data");
  mkdirSync(parent, { recursive: true });
  return mkdtempSync(`${parent}/`);
}
