import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Store } from "../../server/database/port.ts";
import { openPostgres } from "../../server/database/postgres/postgres.ts";
import { type FreshDatabase, freshDatabase } from "../helpers/postgres.ts";
import { sql } from "../helpers/postgres-server.ts";

let database: FreshDatabase;
let store: Store;

beforeEach(async () => {
  database = await freshDatabase();
  store = await openPostgres(database.unrestrictedUrl, { connections: 3 });
});
afterEach(async () => {
  await store.close();
  await database.drop();
});

const backend = "SELECT pg_backend_pid() AS pid";
const pid = async (text = backend) => (await store.read((q) => q.one<{ pid: number }>(text)))!.pid;
const failing = () => store.read((q) => q.one("SELECT 1 / CAST(? AS INT) AS n", 0));
const together = (count: number, text?: string) => Promise.all(Array.from({ length: count }, () => pid(text)));

describe("PostgreSQL reads of the same moment", () => {
  it("go over one connection, 16 at most", async () => {
    const pids = await together(20);
    expect([new Set(pids.slice(0, 16)).size, new Set(pids.slice(16)).size, new Set(pids).size]).toEqual([1, 1, 2]);
  });

  it("fail alone", async () => {
    const results = await Promise.allSettled([pid(), failing(), pid(), pid()]);
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled", "fulfilled"]);
    expect(results[1]).toMatchObject({ reason: { code: "22012" } });
    expect(await together(3)).toHaveLength(3);
  });

  it("are all answered when there are more of them than connections can take at once", async () => {
    const values = await Promise.all(
      Array.from({ length: 200 }, (_, index) => store.read((q) => q.one<{ n: number }>("SELECT CAST(? AS INT) AS n", index))),
    );
    expect(values.map((row) => row?.n)).toEqual(Array.from({ length: 200 }, (_, index) => index));
  });

  it("that took long are sent alone from then on, so that no other waits for them", async () => {
    const long = "SELECT pg_backend_pid() AS pid, pg_sleep(0.1)";
    const [one, other] = await Promise.all([pid(), pid(long)]);
    expect(one).toBe(other);
    const [quick, slow, also] = await Promise.all([pid(), pid(long), pid()]);
    expect([quick === also, quick === slow]).toEqual([true, false]);
  });

  it("are told that the database is not available when their connection is lost, and the next ones get another", async () => {
    const kill = "SELECT pg_terminate_backend(pg_backend_pid())";
    const results = await Promise.allSettled([store.read((q) => q.one(kill)), pid()]);
    const lost = { status: "rejected", reason: { name: "StoreUnavailable" } };
    expect(results).toMatchObject([lost, lost]);
    expect(await together(2)).toHaveLength(2);
    const open = "SELECT COUNT(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()";
    expect(Number((await sql<{ n: string }>(database.unrestrictedUrl, open))[0]!.n)).toBeLessThanOrEqual(3);
  });

  it("are answered when the store is closed meanwhile", async () => {
    const reads = [1, 2, 3].map((n) => store.read((q) => q.one("SELECT CAST(? AS TEXT) AS n", String(n))));
    await store.close();
    expect(await Promise.all(reads)).toEqual([{ n: "1" }, { n: "2" }, { n: "3" }]);
  });

  it("with a value that cannot be sent fail, and leave those of the same moment and the connection as they were", async () => {
    const good = () => store.read((q) => q.one<{ n: string }>("SELECT CAST(? AS TEXT) AS n", "x"));
    const bad = store.read((q) => q.one("SELECT CAST(? AS TEXT) AS n", undefined as never));
    const read = { status: "fulfilled", value: { n: "x" } };
    const refused = { status: "rejected", reason: { message: "undefined cannot be stored." } };
    expect(await Promise.allSettled([good(), bad, good()])).toMatchObject([read, refused, read]);
    expect(await good()).toEqual({ n: "x" });
  });
});
