import pg from "pg";
import type { Store } from "../../server/database/port.ts";
import { openPostgres } from "../../server/database/postgres/postgres.ts";
import { type FreshDatabase, freshDatabase } from "./postgres.ts";

interface Opened {
  store: Store;
  database: FreshDatabase;
  admin: pg.Client;
}

/**
 * PostgreSQL stores whose databases are emptied and used again: a new database, and new connections that know no statement yet, cost far
 * more than the rows of a test. For tests that change rows only, not tables.
 */
export class ReusedStores {
  readonly #free: Opened[] = [];

  /** A store of a migrated database without rows. `remove` empties it. */
  async open(): Promise<Store & { remove(): Promise<void> }> {
    const opened = this.#free.pop() ?? (await open());
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
    const { store } = opened;
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
      close,
      remove: async () => {
        await close();
        await opened.admin.query(empty);
        this.#free.push(opened);
      },
    };
  }

  async removeAll(): Promise<void> {
    for (const { store, database, admin } of this.#free.splice(0)) {
      await store.close();
      await admin.end();
      await database.drop();
    }
  }
}

async function open(): Promise<Opened> {
  const database = await freshDatabase();
  // A machine that does nothing for some seconds fails no test.
  const store = await openPostgres(database.url, { connectMs: 60_000, silenceMs: 60_000 });
  const admin = new pg.Client({ connectionString: database.url });
  await admin.connect();
  return { store, database, admin };
}

/** Removes every row but those of the migrations, also of tables that guard their rows. */
const empty = `DO $$ DECLARE name TEXT; BEGIN
  SET LOCAL session_replication_role = replica;
  FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = current_schema() AND tablename <> 'schema_migrations' LOOP
    EXECUTE format('DELETE FROM %I', name);
  END LOOP;
END $$`;
