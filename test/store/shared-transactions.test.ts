import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Locks, LostRace, type Query, type Store } from "../../server/database/port.ts";
import { openPostgres } from "../../server/database/postgres/postgres.ts";
import { gate } from "../helpers/gate.ts";
import { endHeldCommit, holdCommits } from "../helpers/held-commits.ts";
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

const put = (tx: Query, name: string, value = "") => tx.run("INSERT INTO settings (name, value) VALUES (?, ?)", name, value);
const stored = async () => {
  const rows = await sql<{ name: string; value: string }>(
    database.unrestrictedUrl,
    "SELECT name, value FROM settings ORDER BY name",
  );
  return rows.map(({ name, value }) => (value === "" ? name : `${name}=${value}`)).join(" ");
};
const write = <T>(locks: Locks, fn: (tx: Query) => Promise<T>) => store.write(fn, { isolation: "rows", locks });

/** Writes that notice which transactions they ran in: numbered from 0, in the order of the first statement. */
function noticed() {
  const numbers: string[] = [];
  const ranIn: Record<string, number[]> = {};
  const begin = async (tx: Query, name: string) => {
    const { id } = (await tx.one<{ id: string }>("SELECT CAST(pg_current_xact_id() AS TEXT) AS id"))!;
    if (!numbers.includes(id)) numbers.push(id);
    ranIn[name] = [...(ranIn[name] ?? []), numbers.indexOf(id)];
  };
  return { begin, ranIn };
}

/** Locks all rows, as another process may. Returns what commits and lets go of them. */
async function lockElsewhere(): Promise<() => Promise<void>> {
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
  return () => {
    over.open();
    return elsewhere;
  };
}

/** What became of each write: its value, or the name and message of its error. */
const outcomes = async (writes: Promise<unknown>[]) =>
  (await Promise.allSettled(writes)).map((result) => (result.status === "fulfilled" ? result.value : String(result.reason)));

const letters = (count: number) => Array.from({ length: count }, (_, index) => `row ${String(index).padStart(2, "0")}`);

describe("PostgreSQL writes that name what they lock", () => {
  it("share a transaction when they come together, 16 at most", async () => {
    const { begin, ranIn } = noticed();
    const values = await Promise.all(
      letters(20).map((name) =>
        write([name], async (tx) => {
          await begin(tx, name);
          await put(tx, name);
          return name;
        }),
      ),
    );
    expect(values).toEqual(letters(20));
    // The second one may begin first: each needs a connection.
    const ran = letters(20).map((name) => String(ranIn[name]));
    expect([new Set(ran.slice(0, 16)).size, new Set(ran.slice(16)).size, [...new Set(ran)].sort()]).toEqual([1, 1, ["0", "1"]]);
    expect(await stored()).toBe(letters(20).join(" "));
  });

  it.each([
    { what: "their first id", locks: (): Locks => ["count"] },
    { what: "another of their ids", locks: (index: number): Locks => [`a${index}`, "count"] },
  ])("run one after the other when they share $what", async ({ locks }) => {
    await store.write((tx) => put(tx, "count", "0"));
    const ran: number[] = [];
    // Without the order, several would read the same value.
    const increment = (index: number) =>
      write(locks(index), async (tx) => {
        const { value } = (await tx.one<{ value: string }>("SELECT value FROM settings WHERE name = 'count'"))!;
        await tx.run("UPDATE settings SET value = ? WHERE name = 'count'", String(Number(value) + 1));
        ran.push(index);
      });
    await Promise.all(Array.from({ length: 40 }, (_, index) => increment(index)));
    expect(await stored()).toBe("count=40");
    expect(ran.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, index) => index));
  });

  it("wait for a running transaction that has locked one of their rows, and for those before them, but not for others", async () => {
    const { begin, ranIn } = noticed();
    const ended: string[] = [];
    const [began, over] = [gate(), gate()];
    const run = (name: string, locks: Locks) => write(locks, (tx) => begin(tx, name)).then(() => void ended.push(name));
    const first = write(["a"], async (tx) => {
      await begin(tx, "first");
      began.open();
      await over.passed;
    }).then(() => void ended.push("first"));
    await began.passed;
    const waiting = [run("a and b", ["a", "b"]), run("b", ["b"])];
    await run("c", ["c"]);
    over.open();
    await Promise.all([first, ...waiting]);
    expect(ended).toEqual(["c", "first", "a and b", "b"]);
    expect(ranIn).toEqual({ first: [0], c: [1], "a and b": [2], b: [2] });
  });

  it("fail alone when they throw before they changed anything, whatever they locked and read", async () => {
    const { begin, ranIn } = noticed();
    const refused = write(["b"], async (tx) => {
      tx.lock("users", "id = ?", "b");
      await tx.locked("users", "b");
      await begin(tx, "b");
      throw new Error("refused");
    });
    const kept = (name: string) =>
      write([name], async (tx) => {
        await begin(tx, name);
        await put(tx, name);
      });
    expect(await outcomes([kept("a"), refused, kept("c")])).toEqual([undefined, "Error: refused", undefined]);
    expect(ranIn).toEqual({ a: [0], b: [0], c: [0] });
    expect(await stored()).toBe("a c");
  });

  /** How a write fails after it changed something, and what its caller is told. */
  const failures: { how: string; fail(tx: Query): Promise<unknown>; told: string }[] = [
    { how: "throw", fail: () => Promise.reject(new Error("too late")), told: "Error: too late" },
    {
      how: "repeat a unique value",
      fail: (tx) => put(tx, "taken"),
      told: "UniqueViolation: A row of settings with the same name already exists.",
    },
    {
      how: "send a statement that fails",
      fail: async (tx) => tx.send("INSERT INTO settings (name, value) VALUES ('taken', '')"),
      told: "UniqueViolation: A row of settings with the same name already exists.",
    },
  ];

  it.each(failures)(
    "that $how after a change fail alone, and the others run again in transactions of their own",
    async ({ fail, told }) => {
      await store.write((tx) => put(tx, "taken"));
      const { begin, ranIn } = noticed();
      const run = (name: string, afterwards: (tx: Query) => Promise<unknown> = async () => {}) =>
        write([name], async (tx) => {
          await begin(tx, name);
          await put(tx, name);
          await afterwards(tx);
          return name;
        });
      expect(await outcomes([run("a"), run("b", fail), run("c")])).toEqual(["a", told, "c"]);
      expect(await stored()).toBe("a c taken");
      expect(Object.values(ranIn).map(([together, ...alone]) => [together, alone.length])).toEqual([
        [0, 1],
        [0, 1],
        [0, 1],
      ]);
      expect(new Set(Object.values(ranIn).map(([, alone]) => alone)).size).toBe(3);
    },
  );

  it("that lost a race run again until they win", async () => {
    let runs = 0;
    const loses = write(["a"], async (tx) => {
      await put(tx, "a");
      runs += 1;
      if (runs < 4) throw new LostRace("taken");
      return runs;
    });
    const other = write(["b"], (tx) => put(tx, "b"));
    expect(await outcomes([loses, other])).toEqual([4, 1]);
    expect(await stored()).toBe("a b");
  });

  it("do not run again when the connection was lost during COMMIT, and each is told that the outcome is unknown", async () => {
    await holdCommits(database.unrestrictedUrl);
    let runs = 0;
    const writes = ["a", "b"].map((name) =>
      write([name], async (tx) => {
        runs += 1;
        await put(tx, name);
      }),
    );
    const ended = endHeldCommit(database.unrestrictedUrl);
    const unknown = { status: "rejected", reason: { name: "StoreUnavailable", outcomeUnknown: true } };
    expect(await Promise.allSettled(writes)).toMatchObject([unknown, unknown]);
    await ended;
    expect(runs).toBe(2);
  });

  it("are finished before the store closes", async () => {
    const done = write(["a"], (tx) => put(tx, "a"));
    await store.close();
    await done;
    expect(await stored()).toBe("a");
  });
});

describe("PostgreSQL writes that share a transaction", () => {
  it("do not run again after a commit, whatever the reply to a query says that nobody waited for", async () => {
    let runs = 0;
    const refused = write(["a"], async (tx) => {
      await tx.one("SELECT 1 AS n");
      // Beside what refuses, and behind it: JavaScript cannot hold the number.
      tx.one("SELECT CAST(9007199254740993 AS BIGINT) AS n").catch(() => {});
      throw new Error("refused");
    });
    const kept = write(["b"], async (tx) => {
      runs += 1;
      await tx.one("SELECT 1 AS n");
      tx.send("INSERT INTO settings (name, value) VALUES (?, '')", `b ${runs}`);
    });
    expect(await outcomes([refused, kept])).toEqual(["Error: refused", undefined]);
    expect(await stored()).toBe("b 1");
  });

  it("that were refused change nothing afterwards in the transaction of the others", async () => {
    const late: unknown[] = [];
    const refused = write(["a"], async (tx) => {
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
    const kept = write(["b"], async (tx) => {
      for (let index = 0; index < 5; index++) await tx.one("SELECT 1 AS n");
      await put(tx, "b");
    });
    expect(await outcomes([refused, kept])).toEqual(["Error: refused", undefined]);
    expect(await stored()).toBe("b");
    expect(String(late[0])).toContain("is over");
  });

  it("lock rows in the order of their ids, as those of other processes do, and in the order of the requests", async () => {
    const began: string[] = [];
    const run = (lock: string, name: string) =>
      write([lock], async (tx) => {
        began.push(name);
        await tx.one("SELECT 1 AS n");
      });
    await Promise.all([run("c", "c"), run("a", "first a"), run("b", "b"), run("a", "second a")]);
    expect(began).toEqual(["first a", "b", "c", "second a"]);
  });

  it("that lost a race before they changed anything run again", async () => {
    let runs = 0;
    const loses = write(["a"], async (tx) => {
      await tx.one("SELECT 1 AS n");
      runs += 1;
      if (runs < 3) throw new LostRace("taken");
      return runs;
    });
    expect(await outcomes([loses])).toEqual([3]);
  });

  it("hold back neither each other nor later ones after their transaction failed, when the row of one is locked elsewhere", async () => {
    await sql(database.unrestrictedUrl, "INSERT INTO settings (name, value) SELECT 'row ' || n, '' FROM generate_series(1, 4) n");
    const release = await lockElsewhere();
    const stuck: Promise<unknown>[] = [];
    // As many as transactions run at once.
    for (const row of [1, 2, 3, 4]) {
      const began = gate();
      const fails = write([`failing ${row}`], async (tx) => {
        await put(tx, `failing ${row}`);
        throw new Error("too late");
      });
      const done = write([`done ${row}`], (tx) => put(tx, `done ${row}`));
      let runs = 0;
      stuck.push(
        write([`row ${row}`], async (tx) => {
          runs += 1;
          if (runs === 1) return tx.one("SELECT 1 AS n");
          began.open();
          return tx.run("UPDATE settings SET value = 'here' WHERE name = ?", `row ${row}`);
        }),
      );
      expect(await outcomes([fails, done])).toEqual(["Error: too late", 1]);
      await began.passed;
    }
    expect(await write(["done 1"], (tx) => put(tx, "after"))).toBe(1);
    await release();
    expect(await Promise.all(stuck)).toEqual([1, 1, 1, 1]);
  });

  it("wait half a second for a row that another process holds, and then run alone, so that only the one that needs it waits on", async () => {
    await store.write((tx) => put(tx, "held"));
    const release = await lockElsewhere();
    const limits: string[] = [];
    const needsIt = write(["held"], async (tx) => {
      limits.push((await tx.one<{ lock_timeout: string }>("SHOW lock_timeout"))!.lock_timeout);
      return tx.run("UPDATE settings SET value = 'here' WHERE name = 'held'");
    });
    expect(await write(["other"], (tx) => put(tx, "other"))).toBe(1);
    await release();
    expect(await needsIt).toBe(1);
    expect(limits).toEqual(["500ms", "5s"]);
    expect(await stored()).toBe("held=here other");
  });

  it("that run alone, because another process holds their rows, leave connections for others", async () => {
    const rows = letters(24);
    await sql(
      database.unrestrictedUrl,
      `INSERT INTO settings (name, value) VALUES ${rows.map((row) => `('${row}', '')`).join(", ")}`,
    );
    const release = await lockElsewhere();
    let [running, most] = [0, 0];
    const writes = rows.map((row) =>
      write([row], async (tx) => {
        const { lock_timeout: limit } = (await tx.one<{ lock_timeout: string }>("SHOW lock_timeout"))!;
        if (limit === "5s") most = Math.max(most, ++running);
        try {
          return await tx.run("UPDATE settings SET value = 'here' WHERE name = ?", row);
        } finally {
          if (limit === "5s") running--;
        }
      }),
    );
    await expect.poll(() => running, { timeout: 60_000 }).toBe(8);
    expect(await store.read((q) => q.one("SELECT 1 AS n"))).toEqual({ n: 1 });
    await release();
    expect(await Promise.all(writes)).toEqual(rows.map(() => 1));
    expect(most).toBe(8);
  });
});
