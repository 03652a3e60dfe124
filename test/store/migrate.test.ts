import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Migration, migrate, migrations, pending } from "../../server/database/migrate.ts";
import { type OpenOptions, openStore } from "../../server/database/open.ts";
import type { Store } from "../../server/database/port.ts";
import { openPostgres } from "../../server/database/postgres/postgres.ts";
import { dataFile } from "../../server/database/sqlite/driver.ts";
import { openSqlite } from "../../server/database/sqlite/sqlite.ts";
import { type DatabaseLocation, drivers } from "../helpers/store.ts";

const first: Migration = {
  name: "001-pets",
  statements: [
    "CREATE TABLE pets (id TEXT PRIMARY KEY, age {int}, photo {blob}) {strict}",
    "CREATE INDEX pets_by_age ON pets (age)",
  ],
};
const second: Migration = { name: "002-names", statements: ["ALTER TABLE pets ADD COLUMN name TEXT"] };

/** Opens without migrating. */
const openBare = ({ databaseUrl, dataDir = "" }: OpenOptions): Promise<Store> =>
  databaseUrl ? openPostgres(databaseUrl) : openSqlite(dataFile(dataDir), { strict: true });

describe.each(drivers)("migrations ($name)", ({ location: makeLocation }) => {
  let location: DatabaseLocation;
  let store: Store;
  beforeEach(async () => {
    location = await makeLocation({ empty: true });
    store = await openBare(location.options);
  });
  afterEach(async () => {
    await store.close();
    await location.remove();
  });

  const history = async () =>
    (await store.read((q) => q.all<{ name: string }>("SELECT name FROM schema_migrations ORDER BY position"))).map(
      (row) => row.name,
    );

  it("each migration runs once, in order", async () => {
    expect((await pending(store, [first, second])).map(({ name }) => name)).toEqual(["001-pets", "002-names"]);
    await migrate(store, [first]);
    await migrate(store, [first, second]);
    await migrate(store, [first, second]);
    expect(await history()).toEqual(["001-pets", "002-names"]);
    expect(await pending(store, [first, second])).toEqual([]);
    await store.write((tx) => tx.run("INSERT INTO pets (id, age, photo, name) VALUES ('a', 3, NULL, 'Rex')"));
  });

  it("a database that is newer than the program is refused", async () => {
    await migrate(store, [first, second]);
    await expect(migrate(store, [first])).rejects.toThrow("The database is newer than this program: it has migration 002-names.");
  });

  it.each([
    ["other statements", { ...first, statements: [...first.statements, "CREATE TABLE more (id TEXT)"] }],
    ["another name", { ...first, name: "001-animals" }],
  ])("a released migration with %s is refused", async (_, changed) => {
    await migrate(store, [first]);
    await expect(migrate(store, [changed, second])).rejects.toThrow("Migration 001-pets of the database differs");
    expect(await history()).toEqual(["001-pets"]);
  });

  it("when a migration fails, none of those before it is applied, and they can be run again when it is corrected", async () => {
    const zeroth: Migration = { name: "000-owners", statements: ["CREATE TABLE owners (id TEXT PRIMARY KEY) {strict}"] };
    const broken = { name: second.name, statements: [...second.statements, "UPDATE nothing SET id = 'a'"] };
    await migrate(store, [zeroth]);
    await expect(migrate(store, [zeroth, first, broken])).rejects.toThrow(/nothing/);
    expect(await history()).toEqual(["000-owners"]);
    // The program before it still opens the database, and works with it.
    await migrate(store, [zeroth]);
    await store.write((tx) => tx.run("INSERT INTO owners (id) VALUES ('o')"));
    await migrate(store, [zeroth, first, second]);
    expect(await store.read((q) => q.all("SELECT name FROM pets"))).toEqual([]);
  });

  it("a database that is up to date is left as it is", async () => {
    await migrate(store);
    expect(await pending(store)).toEqual([]);
    const before = await history();
    await migrate(store);
    expect(await history()).toEqual(before);
  });
});

it("migrations: 12 processes can migrate one PostgreSQL database at the same time", async () => {
  const postgres = drivers.find(({ name }) => name === "postgres")!;
  const location = await postgres.location({ empty: true });
  const stores = await Promise.all(Array.from({ length: 12 }, () => openStore(location.options)));
  const tables = await stores[0]!.read((q) => q.all("SELECT name FROM schema_migrations"));
  expect(tables).toEqual(migrations.map(({ name }) => ({ name })));
  await Promise.all(stores.map((store) => store.close()));
  await location.remove();
});
