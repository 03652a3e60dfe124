import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { openPostgres } from "../../server/database/postgres/postgres.ts";
import { type FreshDatabase, freshDatabase } from "../helpers/postgres.ts";
import type { Relay } from "../helpers/postgres-relay.ts";
import { schemaOf } from "../helpers/postgres-schema.ts";
import { killLeftovers, spawnPlaytest } from "../helpers/process.ts";
import { startRestricted } from "../helpers/restricted.ts";
import { freshFolder } from "../helpers/store.ts";

let database: FreshDatabase;
let wire: Relay;
beforeEach(async () => {
  database = await freshDatabase({ empty: true });
  wire = await startRestricted(database.unrestrictedUrl, { seed: 3, conflicts: 0.05, delayMs: 0 });
});
afterEach(async () => {
  await killLeftovers();
  await wire.close();
  await database.drop();
});

const startMigrating = () => {
  const folder = freshFolder();
  return spawnPlaytest(folder, ["serve", "migrate", "--data", folder, "--database-url", wire.url, "--json"]);
};

it("a database that cannot undo definitions is brought up to date by several processes of which some are killed", {
  timeout: 300_000,
}, async () => {
  const store = await openPostgres(database.unrestrictedUrl);
  const reached = async (position: number) => {
    const notes = "SELECT 1 FROM migration_progress WHERE position >= ?";
    const exists = await store.read((q) => q.one(store.dialect.table, "migration_progress"));
    return exists !== undefined && (await store.read((q) => q.one(notes, position))) !== undefined;
  };
  for (const position of [0, 2, 9]) {
    const processes = [startMigrating(), startMigrating()];
    await vi.waitUntil(() => reached(position), { timeout: 120_000, interval: 5 });
    for (const { child } of processes) child.kill("SIGKILL");
    for (const { ended } of processes) await ended;
    // As the time does that the next ones would wait for.
    await store.write((tx) => tx.run("UPDATE migration_progress SET lease_until = 0"));
  }
  const ends = await Promise.all([startMigrating(), startMigrating()].map(({ ended }) => ended));
  await store.close();
  expect(ends.map(({ code, stderr }) => [code, stderr])).toEqual([
    [0, ""],
    [0, ""],
  ]);
  const other = await freshDatabase();
  const expected = await schemaOf(other.unrestrictedUrl);
  await other.drop();
  expect(await schemaOf(database.unrestrictedUrl)).toEqual(expected);
});
