import pg from "pg";
import type { Store } from "../../server/database/port.ts";
import { openPostgres } from "../../server/database/postgres/postgres.ts";
import { dataFile } from "../../server/database/sqlite/driver.ts";
import { openSqlite } from "../../server/database/sqlite/sqlite.ts";
import { freshDatabase } from "./postgres.ts";
import { Database } from "./sqlite.ts";
import { type Driver, drivers, freshFolder, migratedFile } from "./store.ts";

interface Opened {
  store: Store;
  /** Removes every row but those of the migrations, also of tables that guard their rows. False where a test changed the tables. */
  empty(): Promise<boolean>;
}

/** Emptied stores, for whatever test of this process needs one next. Their databases are gone when the run ends. */
const free: Record<Driver["name"], Opened[]> = { sqlite: [], postgres: [] };
const open = { sqlite: openOnSqlite, postgres: openOnPostgres };

/**
 * A store of a migrated database without rows, which `remove` empties for the next test: a new database, and new connections that know no
 * statement yet, cost far more than the rows of a test. For tests that change rows only, not tables.
 */
export async function reusedStore({ name }: Driver = drivers[0]!): Promise<Store & { remove(): Promise<void> }> {
  const opened = free[name].pop() ?? (await open[name]());
  const { store } = opened;
  const underway = new Set<Promise<unknown>>();
  let closed = false;
  const track = <T>(run: () => Promise<T>): Promise<T> => {
    if (closed) return Promise.reject(new Error("The store of this test is closed."));
    const work = run();
    const settled: Promise<unknown> = work.then(
      () => underway.delete(settled),
      () => underway.delete(settled),
    );
    underway.add(settled);
    return work;
  };
  const close = async () => {
    closed = true;
    await Promise.all(underway);
  };
  return {
    dialect: store.dialect,
    shared: store.shared,
    read: (fn) => track(() => store.read(fn)),
    write: (fn, options) => track(() => store.write(fn, options)),
    check: (options) => track(() => store.check(options)),
    numbers: () => store.numbers?.() ?? {},
    close,
    remove: async () => {
      await close();
      if (await opened.empty()) free[name].push(opened);
      else await store.close();
    },
  };
}

async function openOnPostgres(): Promise<Opened> {
  const { url } = await freshDatabase();
  // A machine that does nothing for some seconds fails no test.
  const store = await openPostgres(url, { connectMs: 60_000, silenceMs: 60_000 });
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  const empty = async () => {
    await admin.query(emptyPostgres);
    return true;
  };
  return { store, empty };
}

const emptyPostgres = `DO $$ DECLARE name TEXT; BEGIN
  SET LOCAL session_replication_role = replica;
  FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = current_schema() AND tablename <> 'schema_migrations' LOOP
    EXECUTE format('DELETE FROM %I', name);
  END LOOP;
END $$`;

async function openOnSqlite(): Promise<Opened> {
  const file = dataFile(migratedFile(freshFolder()));
  const store = await openSqlite(file, { strict: true });
  const admin = new Database(file).unsafeMode();
  admin.pragma("foreign_keys = OFF");
  admin.exec(forgetTriggers);
  const schema = () => admin.pragma("schema_version", { simple: true });
  const opened = schema();
  const tables = admin
    .prepare(
      "SELECT name FROM pragma_table_list WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name <> 'schema_migrations'",
    )
    .pluck()
    .all() as string[];
  const filled = admin
    .prepare(tables.map((name) => `SELECT '${name}' WHERE EXISTS (SELECT 1 FROM ${name})`).join(" UNION ALL "))
    .pluck();
  const empty = async () => {
    if (schema() !== opened) {
      admin.close();
      return false;
    }
    const names = filled.all() as string[];
    admin.exec(["BEGIN", ...names.map((name) => `DELETE FROM ${name}`), "COMMIT"].join(";"));
    // Nobody can say what a change of the search index changes, so the store forgets whatever it has cached.
    await store.write((tx) => tx.run("DELETE FROM search_words"));
    return true;
  };
  return { store, empty };
}

/** Makes this connection, and no other, believe that there are no triggers: it reads the schema while they are away. */
const forgetTriggers = `
  BEGIN;
  CREATE TEMP TABLE away AS SELECT * FROM sqlite_master WHERE type = 'trigger';
  PRAGMA writable_schema = ON;
  DELETE FROM sqlite_master WHERE type = 'trigger';
  PRAGMA writable_schema = RESET;
  PRAGMA writable_schema = ON;
  INSERT INTO sqlite_master SELECT * FROM away;
  COMMIT;
  PRAGMA writable_schema = OFF`;
