import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { LostRace, type Query, type Store } from "../../server/database/port.ts";
import { openPostgres } from "../../server/database/postgres/postgres.ts";
import { gate } from "../helpers/gate.ts";
import { type FreshDatabase, freshDatabase } from "../helpers/postgres.ts";
import { sql } from "../helpers/postgres-server.ts";

let database: FreshDatabase;
let store: Store;

beforeEach(async () => {
  database = await freshDatabase();
  store = await openPostgres(database.unrestrictedUrl, { random: () => 0 });
});
afterEach(async () => {
  await store.close();
  await database.drop();
});

const put = (tx: Query, name: string) => tx.run("INSERT INTO settings (name, value) VALUES (?, '')", name);
const write = <T>(lock: string, fn: (tx: Query) => Promise<T>) => store.write(fn, { isolation: "rows", locks: [lock] });
const stored = async () =>
  (await sql<{ name: string }>(database.unrestrictedUrl, "SELECT name FROM settings ORDER BY name")).map(({ name }) => name);
const outcomes = async (writes: Promise<unknown>[]) =>
  (await Promise.allSettled(writes)).map((result) => (result.status === "fulfilled" ? result.value : String(result.reason)));

describe("PostgreSQL writes that share a transaction", () => {
  it("do not run again after a commit, whatever the reply to a query says that nobody waited for", async () => {
    let runs = 0;
    const refused = write("a", async (tx) => {
      await tx.one("SELECT 1 AS n");
      // Beside what refuses, and behind it: JavaScript cannot hold the number.
      tx.one("SELECT CAST(9007199254740993 AS BIGINT) AS n").catch(() => {});
      throw new Error("refused");
    });
    const kept = write("b", async (tx) => {
      runs += 1;
      await tx.one("SELECT 1 AS n");
      tx.send("INSERT INTO settings (name, value) VALUES (?, '')", `b ${runs}`);
    });
    expect(await outcomes([refused, kept])).toEqual(["Error: refused", undefined]);
    expect(await stored()).toEqual(["b 1"]);
  });

  it("that were refused change nothing afterwards in the transaction of the others", async () => {
    const late: unknown[] = [];
    const refused = write("a", async (tx) => {
      const beside = async () => {
        await tx.one("SELECT 1 AS n");
        await tx.one("SELECT 2 AS n");
        await put(tx, "late");
      };
      const refuse = async () => {
        await tx.one("SELECT 1 AS n");
        throw new Error("refused");
      };
      await Promise.all([beside().catch((error: unknown) => late.push(error)), refuse()]);
    });
    const kept = write("b", async (tx) => {
      for (let index = 0; index < 5; index++) await tx.one("SELECT 1 AS n");
      await put(tx, "b");
    });
    expect(await outcomes([refused, kept])).toEqual(["Error: refused", undefined]);
    expect(await stored()).toEqual(["b"]);
    expect(String(late[0])).toContain("is over");
  });

  it("lock rows in the order of their ids, as those of other processes do, and in the order of the requests", async () => {
    const began: string[] = [];
    const run = (lock: string, name: string) =>
      write(lock, async (tx) => {
        began.push(name);
        await tx.one("SELECT 1 AS n");
      });
    await Promise.all([run("c", "c"), run("a", "first a"), run("b", "b"), run("a", "second a")]);
    expect(began).toEqual(["first a", "b", "c", "second a"]);
  });

  it("that lost a race before they changed anything run again", async () => {
    let runs = 0;
    const loses = write("a", async (tx) => {
      await tx.one("SELECT 1 AS n");
      runs += 1;
      if (runs < 3) throw new LostRace("taken");
      return runs;
    });
    expect(await outcomes([loses])).toEqual([3]);
  });

  it("hold back neither each other nor later ones after their transaction failed, when the row of one is locked elsewhere", async () => {
    await sql(database.unrestrictedUrl, "INSERT INTO settings (name, value) SELECT 'row ' || n, '' FROM generate_series(1, 4) n");
    const [locked, over] = [gate(), gate()];
    const elsewhere = store.write(
      async (tx) => {
        await tx.run("UPDATE settings SET value = 'elsewhere'");
        locked.open();
        await over.passed;
      },
      { isolation: "rows" },
    );
    await locked.passed;
    const stuck: Promise<unknown>[] = [];
    // As many as transactions run at once.
    for (const row of [1, 2, 3, 4]) {
      const began = gate();
      const fails = write(`failing ${row}`, async (tx) => {
        await put(tx, `failing ${row}`);
        throw new Error("too late");
      });
      const done = write(`done ${row}`, (tx) => put(tx, `done ${row}`));
      let runs = 0;
      stuck.push(
        write(`row ${row}`, async (tx) => {
          runs += 1;
          if (runs === 1) return tx.one("SELECT 1 AS n");
          began.open();
          return tx.run("UPDATE settings SET value = 'here' WHERE name = ?", `row ${row}`);
        }),
      );
      expect(await outcomes([fails, done])).toEqual(["Error: too late", 1]);
      await began.passed;
    }
    expect(await write("done 1", (tx) => put(tx, "after"))).toBe(1);
    over.open();
    await elsewhere;
    expect(await Promise.all(stuck)).toEqual([1, 1, 1, 1]);
  });
});

describe("PostgreSQL reads", () => {
  it("with a value that cannot be sent fail, and leave those of the same moment and the connection as they were", async () => {
    const good = () => store.read((q) => q.one<{ n: string }>("SELECT CAST(? AS TEXT) AS n", "x"));
    const bad = store.read((q) => q.one("SELECT CAST(? AS TEXT) AS n", undefined as never));
    expect(await outcomes([good(), bad, good()])).toEqual([{ n: "x" }, expect.stringContaining("Error"), { n: "x" }]);
    expect(await good()).toEqual({ n: "x" });
  });
});
