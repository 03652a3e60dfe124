import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { drivers as databaseDrivers } from "../../server/database/drivers.ts";
import { type Migration, migrate } from "../../server/database/migrate.ts";
import type { Store } from "../../server/database/port.ts";
import { planUpgrade } from "../../server/operations/upgrade-plan.ts";
import { type DatabaseLocation, drivers, openUnmigrated } from "../helpers/store.ts";

const pets: Migration = {
  name: "001-pets",
  statements: [
    "CREATE TABLE pets (id TEXT PRIMARY KEY, kind TEXT NOT NULL, age {int}) {strict}",
    { table: "pets", column: "kind", values: ["cat", "dog"] },
  ],
};
const kinds = (values: readonly string[]) => [
  "ALTER TABLE pets DROP CONSTRAINT pets_kind_check",
  { table: "pets", column: "kind", values },
];
const harmless: Migration = {
  name: "002-more",
  statements: [
    "ALTER TABLE pets ADD COLUMN name TEXT",
    "CREATE INDEX pets_by_age ON pets (age)",
    ...kinds(["cat", "dog", "fish"]),
    "CREATE TABLE owners (id TEXT PRIMARY KEY) {strict}",
    "CREATE UNIQUE INDEX owners_by_id ON owners (id)",
    "INSERT INTO owners (id) SELECT id FROM pets",
  ],
};

describe.each(drivers)("the plan of an upgrade ($name)", (driver) => {
  let location: DatabaseLocation;
  let store: Store;
  const isFile = driver.name === "sqlite";
  beforeEach(async () => {
    location = await driver.location({ empty: true });
    store = await openUnmigrated(location.options);
    await migrate(store, [pets]);
    const values = ["a", "b", "c"].map((id) => `('${id}', 'cat', 1)`);
    await store.write((tx) => tx.run(`INSERT INTO pets (id, kind, age) VALUES ${values.join(", ")}`));
  });
  afterEach(async () => {
    await store.close();
    await location.remove();
  });
  const planOf = (...list: readonly Migration[]) => {
    const found = databaseDrivers.find(({ name }) => name === driver.name)!;
    return planUpgrade(store, { driver: found, dataDir: location.options.dataDir ?? "/nowhere" }, [pets, ...list]);
  };

  it("says in words what each migration does, and counts the rows that it reads", async () => {
    const plan = await planOf(harmless);
    expect(plan.migrations).toEqual([
      {
        name: "002-more",
        changes: [
          "adds the column pets.name",
          "creates an index of pets",
          "changes which values pets.kind can have",
          "creates the table owners",
        ],
      },
    ]);
    expect([plan.rows, plan.rewritten, plan.locked]).toEqual([{ pets: 3 }, [], isFile ? [] : ["pets"]]);
    expect(plan.estimate.fromMs).toBeGreaterThanOrEqual(10);
    expect(plan.estimate.toMs).toBeGreaterThan(plan.estimate.fromMs);
    expect((await planOf()).migrations).toEqual([]);
  });

  it("takes longer for more rows", async () => {
    const before = (await planOf(harmless)).estimate;
    await migrate(store, [pets]);
    const many = Array.from({ length: 20_000 }, (_, number) => `('p${number}', 'dog', 2)`);
    await store.write((tx) => tx.run(`INSERT INTO pets (id, kind, age) VALUES ${many.join(", ")}`));
    const after = await planOf(harmless);
    expect([after.rows, after.estimate.fromMs > before.fromMs]).toEqual([{ pets: 20_003 }, true]);
  });

  it("lets old and new processes run side by side where the older program still works with the tables", async () => {
    const reasons = isFile ? ["only one process at a time uses an SQLite database"] : [];
    expect((await planOf(harmless)).sideBySide).toEqual({ possible: !isFile, reasons });
  });

  it("names every column whose rows are written again", async () => {
    const plan = await planOf({ name: "002-less", statements: ["ALTER TABLE pets DROP COLUMN age"] });
    expect(plan.rewritten).toEqual(isFile ? ["pets"] : []);
  });

  const breaking: readonly [reason: string, statements: Migration["statements"]][] = [
    ["the table pets is removed", ["DROP TABLE pets"]],
    ["the column pets.age is removed", ["ALTER TABLE pets DROP COLUMN age"]],
    ["rows of pets are changed, and older processes write them as before", ["UPDATE pets SET age = 1"]],
    ["rows of pets are removed, and older processes write them as before", ["DELETE FROM pets"]],
    ["older processes do not fill the column pets.name", ["ALTER TABLE pets ADD COLUMN name TEXT NOT NULL"]],
    ["pets can no longer have two rows that are alike in an index", ["CREATE UNIQUE INDEX pets_by_kind ON pets (kind)"]],
    ["pets.kind can no longer have every value that older processes write", kinds(["cat"])],
    ["pets.id can no longer have every value that older processes write", [{ table: "pets", column: "id", values: ["a"] }]],
    [
      "rows of pets can no longer be changed or removed",
      [
        {
          sqlite: "CREATE TRIGGER a BEFORE UPDATE ON pets BEGIN SELECT 1; END",
          postgres: "REVOKE UPDATE ON pets FROM CURRENT_USER",
        },
      ],
    ],
  ];
  // An SQLite database has one process in any case.
  if (!isFile)
    it.each(breaking)("says why they cannot: %s", async (reason, statements) => {
      const plan = await planOf({ name: "002-other", statements });
      expect(plan.sideBySide).toEqual({ possible: false, reasons: [reason] });
    });
});
