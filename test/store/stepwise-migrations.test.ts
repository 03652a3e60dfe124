import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Migration, migrate, migrations, pending } from "../../server/database/migrate.ts";
import type { Query, Store } from "../../server/database/port.ts";
import { openPostgres } from "../../server/database/postgres/postgres.ts";
import { gate } from "../helpers/gate.ts";
import { type FreshDatabase, freshDatabase } from "../helpers/postgres.ts";
import type { Relay } from "../helpers/postgres-relay.ts";
import { schemaOf } from "../helpers/postgres-schema.ts";
import { insertRow } from "../helpers/raw-rows.ts";
import { startRestricted } from "../helpers/restricted.ts";

/** A database that cannot undo definitions of tables, as far as its wire lets it. */
let database: FreshDatabase;
let wire: Relay;
/** Past the wire, for the test itself. */
let direct: Store;
let stores: Store[];
beforeEach(async () => {
  database = await freshDatabase({ empty: true });
  direct = await openPostgres(database.unrestrictedUrl);
  wire = await startRestricted(database.unrestrictedUrl, { seed: 7, conflicts: 0.05, delayMs: 0 });
  stores = [direct];
});
afterEach(async () => {
  for (const store of stores) await store.close();
  await wire.close();
  await database.drop();
});

async function open(): Promise<Store> {
  const store = await openPostgres(wire.url);
  stores.push(store);
  return store;
}

/** As when the process that holds it was killed long ago. */
const expireLease = () => direct.write((tx) => tx.run("UPDATE migration_progress SET lease_until = 0"), { isolation: "rows" });
/** A number that grows with each step. */
const progress = async () => {
  const row = await direct.read((q) =>
    q.one<{ steps: number }>("SELECT position * 1000 + done AS steps FROM migration_progress"),
  );
  return row!.steps;
};

class Killed extends Error {}

/** The store of a process that is killed when it has changed the database so many times: it learns nothing of the last change. */
function killedAfter(store: Store, changes: number): Store {
  let left = changes;
  const dying = async <T>(change: () => Promise<T>): Promise<T> => {
    if (left <= 0) throw new Killed();
    left--;
    const value = await change();
    if (left === 0) throw new Killed();
    return value;
  };
  return {
    ...withDefinitions(store, (sql, define) => dying(() => define(sql))),
    write: (fn, options) => dying(() => store.write(fn, options)),
  };
}

/** The store with another way to define tables. */
const withDefinitions = (
  store: Store,
  define: (sql: string, original: (sql: string) => Promise<void>) => Promise<void>,
): Store => ({
  dialect: store.dialect,
  shared: store.shared,
  read: (fn) => store.read(fn),
  write: (fn, options) => store.write(fn, options),
  check: (options) => store.check(options),
  close: () => store.close(),
  async separateDefinitions() {
    const original = await store.separateDefinitions!();
    return (sql) => define(sql, original!);
  },
});

it.each([
  ["a definition of a table inside a transaction", "CREATE TABLE pets (id TEXT)"],
  ["an advisory lock", "SELECT pg_advisory_xact_lock(1)"],
  ["SKIP LOCKED", "SELECT 1 FROM pg_class FOR UPDATE SKIP LOCKED"],
  ["LISTEN", "LISTEN pets"],
])("a restricted PostgreSQL refuses %s", async (_, statement) => {
  const store = await open();
  await expect(store.write((tx) => tx.run(statement))).rejects.toThrow(/refused/);
});

const first = migrations.slice(0, 1);
const rows = [
  ...["users", "games", "playtests", "slots", "blocked_reports", "playtest_keys", "payouts", "jobs", "mails"].map(
    (table) => `SELECT * FROM ${table} ORDER BY 1, 2`,
  ),
  "SELECT hash, csrf, id <> hash AS named FROM sessions",
  "SELECT position, name, checksum FROM schema_migrations ORDER BY position",
];

/** Rows of the first schema that later migrations change, or make others of. */
async function insertRows(tx: Query): Promise<void> {
  const times = { created_at: 1, updated_at: 1 };
  const user = { password_hash: "-", display_name: "Olive", company_name: "", role: "game_owner", ...times };
  await insertRow(tx, "users", { ...user, id: "o", email: "o@example.com", email_key: "o@example.com" });
  const build = { build_url: "https://example.com", devices: "[]", platforms: "[]", cover_image_url: "https://example.com/c" };
  await insertRow(tx, "games", { ...build, id: "g", owner_id: "o", name: "Star Lanes", status: "active", ...times });
  const terms = { quantity: 1, duration_minutes: 60, player_count: 1, cost_per_slot_cents: 0, payout_cents: 0 };
  const kind = { visibility: "private", status: "active", is_free_public_trial: 0, selection_mode: "automatic" };
  await insertRow(tx, "playtests", { id: "p", game_id: "g", owner_id: "o", ...terms, ...kind, ...times });
  const slot = { playtest_id: "p", game_id: "g", owner_id: "o", created_at: 7 };
  await insertRow(tx, "slots", { ...slot, id: "blocked", status: "blocked" });
  await insertRow(tx, "slots", { ...slot, id: "open", status: "open" });
  await insertRow(tx, "blocked_reports", { id: "r", slot_id: "blocked", reason_code: "crash", reported_at: 5 });
  await insertRow(tx, "playtest_keys", { playtest_id: "p", position: 0, ciphertext: "-", slot_id: "open" });
  await insertRow(tx, "payouts", { id: "paid", user_id: "o", amount_cents: 1, status: "completed", created_at: 9 });
  await insertRow(tx, "sessions", { hash: "h", user_id: "o", csrf: "-", created_at: 1, expires_at: 2 });
  const job = { kind: "lapse-order", payload: "{}", run_at: 1, attempts: 0, state: "queued", lease_until: 0, created_at: 1 };
  await insertRow(tx, "jobs", { ...job, id: "j", unique_key: "lapse-order:019a" });
}

async function content(store: Store): Promise<unknown[]> {
  return store.read((q) => Promise.all(rows.map((query) => q.all(query))));
}

/** Compares with a database whose migrations are transactions. */
async function expectTheSame() {
  const other = await freshDatabase({ empty: true });
  const store = await openPostgres(other.unrestrictedUrl);
  await migrate(store, first);
  await store.write(insertRows);
  await migrate(store);
  const [tables, found] = [await schemaOf(other.unrestrictedUrl), await content(store)];
  await store.close();
  await other.drop();
  expect(await schemaOf(database.unrestrictedUrl)).toEqual(tables);
  expect(await content(direct)).toEqual(found);
}

describe("migrations step by step", { timeout: 300_000 }, () => {
  it("make what transactions make", async () => {
    const store = await open();
    await migrate(store, first);
    await direct.write(insertRows);
    await migrate(store);
    await expectTheSame();
  });

  it("continue after a kill at every change, and make the same", async () => {
    const store = await open();
    const runUntilKilled = async (list: readonly Migration[], changes: number) => {
      const end: unknown = await migrate(killedAfter(store, changes), list).catch((error: unknown) => error);
      if (end !== undefined && !(end instanceof Killed)) throw end;
    };
    /** The first changes of each run are two tables and the lease. */
    const runAll = async (list: readonly Migration[]) => {
      let furthest = 0;
      for (let changes = 1; (await pending(direct, list)).length > 0; ) {
        if (changes > 3) await expireLease();
        await runUntilKilled(list, changes);
        const steps = changes > 3 ? await progress() : 0;
        changes = steps > furthest ? 4 : changes + 1;
        furthest = Math.max(furthest, steps);
        // No step takes that many.
        expect(changes).toBeLessThan(10);
      }
    };
    await runAll(first);
    await direct.write(insertRows);
    await runAll(migrations);
    await expectTheSame();
  });
});

const pets: Migration[] = [
  {
    name: "001-pets",
    statements: ["CREATE TABLE pets (id TEXT PRIMARY KEY, age {int}) {strict}", "INSERT INTO pets (id, age) VALUES ('a', 1)"],
  },
  { name: "002-names", statements: ["ALTER TABLE pets ADD COLUMN name TEXT", "UPDATE pets SET age = age + 1"] },
];
const ages = () => direct.read((q) => q.all("SELECT age FROM pets"));

describe("processes that migrate step by step", () => {
  it("make each change once, however many start together", async () => {
    const made: string[] = [];
    const counting = (store: Store) =>
      withDefinitions(store, async (sql, define) => {
        made.push(sql);
        await define(sql);
      });
    const opened = await Promise.all(Array.from({ length: 6 }, open));
    await Promise.all(opened.map((store) => migrate(counting(store), pets)));
    expect(await ages()).toEqual([{ age: 2 }]);
    expect(made.filter((sql) => sql.includes("pets"))).toHaveLength(2);
  });

  /** A process that stops before it defines a column, and what lets it continue. */
  async function stopped(leaseMs?: number) {
    const [reached, free] = [gate(), gate()];
    const store = withDefinitions(await open(), async (sql, define) => {
      if (sql.startsWith("ALTER")) {
        reached.open();
        await free.passed;
      }
      await define(sql);
    });
    const ended = migrate(store, pets, leaseMs === undefined ? {} : { leaseMs });
    await reached.passed;
    return { free, ended };
  }

  it("notice when others took over, and leave it to them", async () => {
    const { free, ended } = await stopped();
    await expireLease();
    await migrate(await open(), pets);
    free.open();
    await ended;
    expect(await ages()).toEqual([{ age: 2 }]);
  });

  it("keep the lease while a change takes longer than it", async () => {
    const { free, ended } = await stopped(300);
    const until = async () =>
      (await direct.read((q) => q.one<{ at: number }>("SELECT lease_until AS at FROM migration_progress")))!.at;
    const before = await until();
    await vi.waitUntil(async () => (await until()) > before + 300, { timeout: 60_000, interval: 20 });
    free.open();
    await ended;
    expect(await ages()).toEqual([{ age: 2 }]);
  });

  it("let go of the lease when a change is refused, and continue there once it is possible", async () => {
    const store = await open();
    const kinds: Migration = {
      name: "003-kinds",
      statements: [
        "ALTER TABLE pets ADD COLUMN kind TEXT",
        "UPDATE pets SET kind = 'fish'",
        { table: "pets", column: "kind", values: ["cat", "dog"] },
      ],
    };
    await expect(migrate(store, [...pets, kinds])).rejects.toThrow(
      'Migration 003-kinds cannot be applied: 1 row(s) of pets have kind "fish", which is not one of cat, dog. Its statements before ' +
        "this one were run, and are not run again. Correct these rows or restore a backup, then try again.",
    );
    const free = `SELECT lease_until <= ${direct.dialect.time} AS free FROM migration_progress`;
    expect(await direct.read((q) => q.one(free))).toEqual({ free: 1 });
    await direct.write((tx) => tx.run("UPDATE pets SET kind = 'cat'"));
    await migrate(store, [...pets, kinds]);
    expect(await direct.read((q) => q.all("SELECT age, kind FROM pets"))).toEqual([{ age: 2, kind: "cat" }]);
    await expect(direct.write((tx) => tx.run("UPDATE pets SET kind = 'fish'"))).rejects.toThrow("pets_kind_check");
  });

  it("refuse a statement that they cannot repeat", async () => {
    const renamed: Migration = { name: "001-renamed", statements: ["ALTER TABLE pets RENAME TO animals"] };
    await expect(migrate(await open(), [renamed])).rejects.toThrow(
      "It is not known how to repeat this statement: ALTER TABLE pets",
    );
  });
});
