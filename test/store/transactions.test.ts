import { readFile } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isUniqueViolation, type Query, type Value } from "../../server/database/port.ts";
import { sendManyRows } from "../../server/database/rows.ts";
import { drivers, sqlite, type TestStore } from "../helpers/store.ts";

const put = (tx: Query, name: string, value = "") => tx.run("INSERT INTO settings (name, value) VALUES (?, ?)", name, value);
const send = (tx: Query, name: string, value = "") => tx.send("INSERT INTO settings (name, value) VALUES (?, ?)", name, value);
const get = (q: Query, name: string) => q.one<{ value: string }>("SELECT value FROM settings WHERE name = ?", name);

describe.each(drivers)("transactions ($name)", ({ open }) => {
  let store: TestStore;
  beforeEach(async () => {
    store = await open();
  });
  afterEach(() => store.remove());

  const names = async () => {
    const rows = await store.read((q) => q.all<{ name: string }>("SELECT name FROM settings ORDER BY name"));
    return rows.map(({ name }) => name).join(" ");
  };

  it("a write is stored and returns its callback's value", async () => {
    const value = await store.write(async (tx) => {
      await put(tx, "a");
      return (await put(tx, "b")) + 1;
    });
    expect(value).toBe(2);
    expect(await names()).toBe("a b");
  });

  it("the same query can be read as one row and as all rows", async () => {
    await store.write((tx) => put(tx, "a"));
    const sql = "SELECT name FROM settings WHERE name = ?";
    const both = (q: Query) => Promise.all([q.one(sql, "a"), q.all(sql, "a"), q.one(sql, "a")]);
    const expected = [{ name: "a" }, [{ name: "a" }], { name: "a" }];
    expect([await store.read(both), await store.write(both)]).toEqual([expected, expected]);
  });

  it.each([1, 19, 20, 45])("%i rows that are sent together are stored once each", async (count) => {
    const rows = Array.from({ length: count }, (_, index) => ({ name: `row ${index}`, value: String(index) }));
    await store.write(async (tx) => sendManyRows(tx, "settings", rows));
    const stored = await store.read((q) => q.all("SELECT name, value FROM settings ORDER BY CAST(value AS INT)"));
    expect(stored).toEqual(rows);
  });

  it("of writes that commit together, only the one that throws is rolled back", async () => {
    const results = await Promise.allSettled(
      ["a", "b", "c", "d"].map((name) =>
        store.write(async (tx) => {
          await put(tx, name);
          if (name === "b") throw new Error("no b");
        }),
      ),
    );
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled", "fulfilled"]);
    expect(await names()).toBe("a c d");
  });

  it("groups of writes that each have a failure are stored without what failed", async () => {
    const write = (name: string) =>
      store.write(async (tx) => {
        await put(tx, name);
        if (name.endsWith("!")) throw new Error(`no ${name}`);
      });
    const stored = async (...batch: string[]) =>
      (await Promise.allSettled(batch.map(write))).map(({ status }) => (status === "fulfilled" ? "yes" : "no")).join(" ");
    expect(await stored("a", "b!", "c")).toBe("yes no yes");
    expect(await stored("d!", "e", "f!")).toBe("no yes no");
    expect(await stored("g!")).toBe("no");
    expect(await stored("h", "a", "i")).toBe("yes no yes");
    expect(await stored("j", "k")).toBe("yes yes");
    expect(await names()).toBe("a c e h i j k");
  });

  it("a write sees its own changes, a read only committed ones", async () => {
    await store.write(async (tx) => {
      await put(tx, "a", "1");
      expect(await get(tx, "a")).toEqual({ value: "1" });
      expect(await store.read((q) => get(q, "a"))).toBeUndefined();
    });
    expect(await store.read((q) => get(q, "a"))).toEqual({ value: "1" });
  });

  it("a statement returns the number of rows it changed", async () => {
    await store.write(async (tx) => {
      await put(tx, "a");
      await put(tx, "b");
      expect(await tx.run("UPDATE settings SET value = ?", "x")).toBe(2);
      expect(await tx.run("DELETE FROM settings WHERE name = ?", "z")).toBe(0);
      expect(
        await tx.one("INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING RETURNING name", "a", ""),
      ).toBeUndefined();
    });
  });

  it("statements that were sent take effect in their order, before what follows and before the commit", async () => {
    await store.write(async (tx) => {
      send(tx, "a", "1");
      tx.send("UPDATE settings SET value = '2' WHERE name = 'a'");
      expect(await get(tx, "a")).toEqual({ value: "2" });
      send(tx, "b");
    });
    expect(await names()).toBe("a b");
  });

  it("a statement that was sent and fails, fails the write: the error names the row, and nothing is saved", async () => {
    await store.write((tx) => put(tx, "a"));
    const failed = store.write(async (tx) => {
      await put(tx, "b");
      send(tx, "a");
    });
    await expect(failed).rejects.toSatisfy((error) => isUniqueViolation(error, "settings", "name"));
    const caught = store.write(async (tx) => {
      send(tx, "a");
      await put(tx, "c").catch(() => {});
    });
    await expect(caught).rejects.toThrow("A row of settings with the same name already exists.");
    expect(await names()).toBe("a");
    await store.write((tx) => put(tx, "d"));
    expect(await names()).toBe("a d");
  });

  it("nothing can be sent in a read", async () => {
    await expect(store.read(async (q) => send(q, "a"))).rejects.toThrow(
      "A statement was sent outside of a write. It was not run.",
    );
    expect(await names()).toBe("");
  });

  it("concurrent increments are all counted", async () => {
    await store.write((tx) => put(tx, "count", "0"));
    const increment = () =>
      store.write(async (tx) => {
        const row = await get(tx, "count");
        await tx.run("UPDATE settings SET value = ? WHERE name = 'count'", String(Number(row?.value) + 1));
      });
    await Promise.all(Array.from({ length: 10 }, increment));
    expect(await store.read((q) => get(q, "count"))).toEqual({ value: "10" });
  });

  it("a unique violation names the table and its column", async () => {
    await store.write((tx) => put(tx, "a"));
    const error: unknown = await store.write((tx) => put(tx, "a")).catch((e) => e);
    expect(error).toMatchObject({
      table: "settings",
      columns: ["name"],
      message: "A row of settings with the same name already exists.",
    });
    expect(isUniqueViolation(error, "settings", "name")).toBe(true);
    expect(isUniqueViolation(error, "settings", "value")).toBe(false);
    expect(isUniqueViolation(error, "users")).toBe(false);
    expect(isUniqueViolation(new Error("other"))).toBe(false);
  });

  it("a unique violation names both columns of a key", async () => {
    const receive = (tx: Query) =>
      tx.run(
        "INSERT INTO processor_events (provider, event_id, kind, received_at) VALUES (?, ?, ?, ?)",
        "stripe",
        "evt_1",
        "paid",
        1,
      );
    await store.write(receive);
    await expect(store.write(receive)).rejects.toMatchObject({ table: "processor_events", columns: ["provider", "event_id"] });
  });

  it("a write whose query failed is rolled back, even if its callback catches the error", async () => {
    await store.write((tx) => put(tx, "a"));
    const write = store.write(async (tx) => {
      await put(tx, "b");
      await put(tx, "a").catch(() => {});
      await expect(put(tx, "c")).rejects.toThrow("already exists");
      return "fine";
    });
    await expect(write).rejects.toThrow("already exists");
    expect(await names()).toBe("a");
  });

  it("a query after the end of its write is refused", async () => {
    let leaked: Query | undefined;
    await store.write(async (tx) => {
      leaked = tx;
    });
    await expect(put(leaked as Query, "late")).rejects.toThrow("This transaction is over");
    expect(await names()).toBe("");
  });

  it("a read cannot write", async () => {
    await expect(store.read((q) => put(q, "a"))).rejects.toThrow(/read-?only/i);
    expect(await names()).toBe("");
  });

  it("closing finishes the writes that wait and refuses later ones", async () => {
    const waiting = store.write((tx) => put(tx, "a"));
    await store.close();
    await waiting;
    await expect(store.write((tx) => put(tx, "b"))).rejects.toMatchObject({ name: "StoreUnavailable" });
    await expect(store.read(async () => 1)).rejects.toMatchObject({ name: "StoreUnavailable" });
  });

  it("a healthy database passes all checks", async () => {
    const checks = await store.check({ thorough: true });
    expect(checks.length).toBeGreaterThan(2);
    expect(checks.filter(({ ok }) => !ok)).toEqual([]);
  });

  const texts = ["", "it's", 'a "quoted" one', "what? $1 ?", "-- no comment", "Ünïcødé 🎮", "line\nbreak", "\\ \\'", "%_"];
  it.each(texts)("text is stored unchanged: %j", async (text) => {
    await store.write((tx) => put(tx, "text", text));
    expect(await store.read((q) => get(q, "text"))).toEqual({ value: text });
  });

  it("question marks in strings, quoted names and comments are not placeholders", async () => {
    const row = await store.read((q) => q.one(`SELECT 'it''s ?' AS a, CAST(? AS TEXT) AS "b?" -- why?`, "x"));
    expect(row).toEqual({ a: "it's ?", "b?": "x" });
  });

  it.each([0, -1, 2 ** 31, -(2 ** 31) - 1, 1_800_000_000_000, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER])(
    "an integer is stored unchanged: %d",
    async (n) => {
      await store.write((tx) => tx.run("INSERT INTO ledger_accounts (id, asset, balance) VALUES ('a', 'USD', ?)", n));
      expect(await store.read((q) => q.all("SELECT balance FROM ledger_accounts WHERE balance = ?", n))).toEqual([
        { balance: n },
      ]);
      expect(await store.read((q) => q.one("SELECT SUM(balance) AS total, COUNT(*) AS rows FROM ledger_accounts"))).toEqual({
        total: n,
        rows: 1,
      });
    },
  );

  it.each(["SELECT balance FROM ledger_accounts", "SELECT SUM(balance) AS balance FROM ledger_accounts"])(
    "an integer beyond 2^53 is an error, not rounded: %s",
    async (sql) => {
      await store.write((tx) => tx.run("INSERT INTO ledger_accounts (id, asset, balance) VALUES ('a', 'USD', 9007199254740993)"));
      await expect(store.read((q) => q.all(sql))).rejects.toThrow("beyond ±2^53");
      await expect(store.read((q) => q.one(sql))).rejects.toThrow("beyond ±2^53");
    },
  );

  it.each<[string, Value]>([
    ["a fraction", 1.5],
    ["not a number", Number.NaN],
    ["beyond 2^53", 2 ** 53],
    ["text with NUL", "a\0b"],
  ])("cannot be stored: %s", async (_, value) => {
    await expect(store.write((tx) => tx.run("UPDATE settings SET value = ?", value))).rejects.toThrow(RangeError);
  });

  it("bytes are stored unchanged", async () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, i) => i);
    const row = ["k", "f", 200, "{}", bytes, 1, 2] as const;
    await store.write((tx) => tx.run("INSERT INTO idempotency VALUES ('u', ?, ?, ?, ?, ?, ?, ?)", ...row));
    const found = await store.read((q) => q.one<{ body: Uint8Array }>("SELECT body FROM idempotency"));
    expect(Buffer.compare(Buffer.from(found?.body ?? []), bytes)).toBe(0);
  });

  it("booleans are 0 and 1", async () => {
    expect(await store.read((q) => q.one("SELECT EXISTS (SELECT 1 FROM settings) AS none, 1 = 1 AS yes"))).toEqual({
      none: 0,
      yes: 1,
    });
  });
});

describe("SQLite write that awaits something other than its queries", () => {
  const cases: [string, () => Promise<unknown>][] = [
    ["a timer", () => setTimeout(0)],
    ["the next turn of the event loop", () => new Promise((resolve) => setImmediate(resolve))],
    ["a file", () => readFile(import.meta.filename)],
    ["a promise that never settles", () => new Promise(() => {})],
  ];
  it.each(cases)("fails in strict mode: %s", async (_, wait) => {
    const store = await sqlite.open();
    const paused = store.write(async (tx) => {
      await put(tx, "paused");
      await wait();
      await put(tx, "later");
    });
    const [first, second] = await Promise.allSettled([paused, store.write((tx) => put(tx, "next"))]);
    expect(first).toMatchObject({ reason: { name: "PausedTransaction" } });
    expect(second.status).toBe("fulfilled");
    expect(await store.read((q) => q.all("SELECT name FROM settings"))).toEqual([{ name: "next" }]);
    await store.remove();
  });
});
