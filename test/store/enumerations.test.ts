import { readFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { migrate, migrations } from "../../server/database/migrate.ts";
import { eventKinds as firstEventKinds } from "../../server/database/migrations/002-enumerations.ts";
import { openStore } from "../../server/database/open.ts";
import type { Query, Store } from "../../server/database/port.ts";
import type { Column } from "../../server/database/schema/columns.ts";
import { schema } from "../../server/database/schema/index.ts";
import { type Table, tablesOf } from "../../server/database/tables.ts";
import { arePending, setIssued } from "../../server/ledger/invoice-check-queries.ts";
import { dumpRows, insertBatch, readBatches } from "../../server/operations/archive/rows.ts";
import { eventKinds } from "../../src/contract/events/kinds.ts";
import { createHistory } from "../helpers/history.ts";
import { insertRow } from "../helpers/raw-rows.ts";
import { startTestServer } from "../helpers/server.ts";
import { type DatabaseLocation, type Driver, drivers, freshFolder, openUnmigrated } from "../helpers/store.ts";

/** What the code may write to each enumerated column. */
const written: Record<string, readonly string[]> = Object.fromEntries(
  Object.entries(schema).flatMap(([table, columns]) =>
    Object.entries<Column>(columns).flatMap(([name, { values }]) => (values ? [[`${table}.${name}`, values as string[]]] : [])),
  ),
);

const CHECKS = {
  sqlite: "SELECT name AS table_name, sql AS text FROM sqlite_master WHERE type = 'table'",
  postgres: `SELECT c.relname AS table_name, 'CONSTRAINT ' || k.conname || ' ' || pg_get_constraintdef(k.oid) AS text
    FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid WHERE k.contype = 'c' AND c.relnamespace = current_schema()::regnamespace`,
};

/** What the constraints of a database allow, by `table.column`. */
async function allowed(q: Query, dialect: Driver["name"]): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for (const { table_name, text } of await q.all<{ table_name: string; text: string }>(CHECKS[dialect]))
    for (const [, name, condition] of text.matchAll(/CONSTRAINT (\w+)_check CHECK (.+?)(?=CONSTRAINT|$)/gs))
      found[`${table_name}.${name!.slice(table_name.length + 1)}`] = [...condition!.matchAll(/'([\w.-]+)'/g)].map(
        ([, value]) => value!,
      );
  return found;
}

const INDEXES = {
  sqlite: `SELECT name, sql AS text FROM sqlite_master WHERE type IN ('index', 'trigger')
    UNION ALL SELECT name, CASE strict WHEN 1 THEN 'strict' END FROM pragma_table_list WHERE type = 'table' ORDER BY name`,
  postgres: "SELECT indexname AS name, indexdef AS text FROM pg_indexes WHERE schemaname = current_schema() ORDER BY indexname",
};

/** A slot with two reports, one of them resolved, and what it belongs to. */
const times = { created_at: 1, updated_at: 1 };

/** An owner with a game, and its playtests of these ids. */
async function createPlaytests(tx: Query, ...ids: string[]): Promise<void> {
  const user = { password_hash: "-", display_name: "Olive", company_name: "", ...times };
  await insertRow(tx, "users", { ...user, id: "o", email: "o@example.com", email_key: "o@example.com", role: "game_owner" });
  const build = { build_url: "https://example.com", devices: "[]", platforms: "[]" };
  await insertRow(tx, "games", { ...build, id: "g", owner_id: "o", name: "Star Lanes", status: "active", ...times });
  const terms = {
    visibility: "private",
    quantity: 1,
    duration_minutes: 60,
    player_count: 1,
    cost_per_slot_cents: 0,
    payout_cents: 0,
  };
  const kind = { status: "active", is_free_public_trial: 0, selection_mode: "automatic" };
  for (const id of ids) await insertRow(tx, "playtests", { id, game_id: "g", owner_id: "o", ...terms, ...kind, ...times });
}

const slotOf = (playtest_id: string, fields: Record<string, string | number>) => ({
  playtest_id,
  game_id: "g",
  owner_id: "o",
  created_at: 1,
  ...fields,
});

const createBlockedReports = (store: Store) =>
  store.write(async (tx) => {
    await createPlaytests(tx, "p");
    await insertRow(tx, "slots", slotOf("p", { id: "s", status: "blocked" }));
    const report = { slot_id: "s", reason_code: "crash", reported_at: 5 };
    await insertRow(tx, "blocked_reports", { ...report, id: "done", resolved_at: 6 });
    await insertRow(tx, "blocked_reports", { ...report, id: "open" });
  });

/** A key that an open slot got from the slot it replaces, one that is held, and one that nobody has seen. */
const createReleasedKeys = (store: Store) =>
  store.write(async (tx) => {
    await createPlaytests(tx, "p1", "p2");
    await insertRow(tx, "slots", slotOf("p1", { id: "open", status: "open", created_at: 7 }));
    await insertRow(tx, "slots", slotOf("p1", { id: "held", status: "reserved" }));
    for (const [position, slot_id] of ["open", "held", null].entries())
      await insertRow(tx, "playtest_keys", { playtest_id: "p1", position, ciphertext: "-", slot_id });
  });

/** Removes the events of kinds that the first databases did not have. */
const removeLaterEvents = (store: Store) =>
  store.write(async (tx) => {
    const later = eventKinds.filter((kind) => !firstEventKinds.includes(kind)).map((kind) => `'${kind}'`);
    const of = (column: string) => `${column} IN (${later.join(", ")})`;
    await tx.run(`DELETE FROM webhook_attempts WHERE delivery_id IN (SELECT id FROM webhook_deliveries WHERE ${of("event")})`);
    await tx.run(`DELETE FROM webhook_deliveries WHERE ${of("event")}`);
    await tx.run(`DELETE FROM notifications WHERE ${of("type")}`);
    await tx.run(`DELETE FROM events WHERE ${of("kind")}`);
  });

/** Every row of these tables, as an export has them. */
async function rowsOf(store: Store, tables: readonly Table[]): Promise<string> {
  const path = join(freshFolder(), "rows.ndjson");
  const file = await open(path, "w");
  await store.read((q) => dumpRows(q, tables, file, () => {}));
  await file.close();
  return path;
}

describe.each(drivers)("$name", ({ name, location: makeLocation, open: openFresh }) => {
  let location: DatabaseLocation;
  beforeEach(async () => {
    location = await makeLocation({ empty: true });
  });
  afterEach(() => location.remove());

  const first = migrations.slice(0, 1);
  const second = migrations.slice(0, 2);

  /** A database of the first migration, and those of its tables that are still there. */
  async function older(): Promise<{ store: Store; tables: Table[] }> {
    const store = await openUnmigrated(location.options);
    await migrate(store, first);
    const tables = await store.read((q) => tablesOf(q, store.dialect, first));
    return { store, tables: tables.filter((table) => table.name !== "invoices") };
  }

  it("every enumerated column allows what the code writes to it, and nothing else", async () => {
    const store = await openFresh();
    const sorted = (lists: Record<string, readonly string[]>) =>
      Object.fromEntries(Object.entries(lists).map(([column, values]) => [column, [...values].sort()]));
    expect(sorted(await store.read((q) => allowed(q, name)))).toEqual(sorted(written));
    await store.remove();
  });

  it("an enumerated column refuses a value that it does not have", async () => {
    const store = await openFresh();
    const payout = { id: "p", user_id: "u", amount_cents: 1, status: "paid", created_at: 1, failed_at: null };
    await expect(store.write((tx) => insertRow(tx, "payouts", payout))).rejects.toThrow(/payouts_status_check/);
    await store.remove();
  });

  it("the constraints come to a database in use without changing its rows, columns, indexes or types", async () => {
    const fresh = await openFresh();
    const server = await startTestServer({ store: fresh, dataDir: freshFolder() });
    await createHistory(server);
    await server.close();
    const { store: olderStore, tables } = await older();
    const current = await openUnmigrated(fresh.location.options);
    await removeLaterEvents(current);
    const rows = await rowsOf(current, tables);
    await current.close();
    await fresh.location.remove();
    for (const batch of readBatches(rows, tables)) await olderStore.write((tx) => insertBatch(tx, batch));
    const indexes = await olderStore.read((q) => q.all(INDEXES[name]));
    expect(Object.keys(await olderStore.read((q) => allowed(q, name)))).toEqual([]);

    await migrate(olderStore, second);
    expect(readFileSync(await rowsOf(olderStore, tables), "utf8")).toBe(readFileSync(rows, "utf8"));
    expect(await olderStore.read((q) => q.all(INDEXES[name]))).toEqual(indexes);
    await olderStore.close();

    const store = await openStore(location.options);
    expect(await store.read(arePending)).toBe(true);
    await store.write(setIssued);
    expect(readFileSync(await rowsOf(store, tables), "utf8")).toBe(readFileSync(rows, "utf8"));
    expect(Object.keys(await store.read((q) => allowed(q, name))).sort()).toEqual(Object.keys(written).sort());
    expect((await store.check({ thorough: true })).filter(({ ok }) => !ok)).toEqual([]);
    await store.close();
  });

  it("a database with a value that is not known stays as it is, and the error says which", async () => {
    const store = await openUnmigrated(location.unrestricted);
    await migrate(store, first);
    const job = { kind: "send-mail", payload: "{}", run_at: 1, attempts: 0, lease_until: 0, created_at: 1 };
    await store.write(async (tx) => {
      for (const id of ["a", "b"]) await insertRow(tx, "jobs", { ...job, id, unique_key: `send-mail:${id}`, state: "asleep" });
    });
    await expect(migrate(store)).rejects.toThrow(
      'Migration 002-enumerations cannot be applied: 2 row(s) of jobs have state "asleep", which is not one of queued, dead. ' +
        "Nothing was changed. Correct these rows or restore a backup, then try again.",
    );
    expect(await store.read((q) => q.all("SELECT name FROM schema_migrations"))).toEqual([{ name: "001-initial" }]);
    expect(await store.read((q) => allowed(q, name))).toEqual({});
    await store.close();
  });

  it("an open problem report from before the limit gets the job that announces it, a resolved one does not", async () => {
    const store = await openUnmigrated(location.options);
    await migrate(store, migrations.slice(0, 7));
    await createBlockedReports(store);
    await migrate(store);
    expect(await store.read((q) => q.all("SELECT kind, unique_key, payload, run_at, state FROM jobs"))).toEqual([
      { kind: "resolve-problem", unique_key: "resolve-problem:open", payload: '{"reportId":"open"}', run_at: 5, state: "queued" },
    ]);
    expect(await store.read((q) => q.all("SELECT id, answer_by, outcome, message FROM blocked_reports ORDER BY id"))).toEqual([
      { id: "done", answer_by: null, outcome: null, message: null },
      { id: "open", answer_by: null, outcome: null, message: null },
    ]);
    await store.close();
  });

  it("a game key that waited for a second playtester is retired, and its owner is warned", async () => {
    const store = await openUnmigrated(location.options);
    await migrate(store, migrations.slice(0, 8));
    await createReleasedKeys(store);
    await migrate(store);
    expect(await store.read((q) => q.all("SELECT position, slot_id, retired_at FROM playtest_keys ORDER BY position"))).toEqual([
      { position: 0, slot_id: "open", retired_at: 7 },
      { position: 1, slot_id: "held", retired_at: null },
      { position: 2, slot_id: null, retired_at: null },
    ]);
    expect(await store.read((q) => q.all("SELECT id, uses_keys FROM playtests ORDER BY id"))).toEqual([
      { id: "p1", uses_keys: 1 },
      { id: "p2", uses_keys: 0 },
    ]);
    expect(await store.read((q) => q.all("SELECT kind, unique_key, payload FROM jobs"))).toEqual([
      { kind: "warn-about-keys", unique_key: "warn-about-keys:p1", payload: '{"playtestId":"p1"}' },
    ]);
    await store.close();
  });

  it("a job that was queued under its former name is found under its new one", async () => {
    const store = await openUnmigrated(location.options);
    await migrate(store, first);
    const job = { payload: "{}", run_at: 1, attempts: 0, state: "queued", lease_until: 0, created_at: 1 };
    await store.write(async (tx) => {
      await insertRow(tx, "jobs", { ...job, id: "a", kind: "lapse-order", unique_key: "lapse-order:019a" });
      await insertRow(tx, "jobs", { ...job, id: "b", kind: "lapse-payment", unique_key: "lapse-payment:019a" });
    });
    await migrate(store);
    expect(await store.read((q) => q.all("SELECT kind, unique_key FROM jobs ORDER BY id"))).toEqual([
      { kind: "expire-order", unique_key: "expire-order:019a" },
      { kind: "lapse-payment", unique_key: "lapse-payment:019a" },
    ]);
    await store.close();
  });
});
