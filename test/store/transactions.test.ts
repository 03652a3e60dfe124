import { readFile } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isUniqueViolation, type Query, type Value } from "../../server/database/port.ts";
import { drivers, type TestStore } from "../helpers/store.ts";

const put = (tx: Query, name: string, value = "") => tx.run("INSERT INTO settings (name, value) VALUES (?, ?)", name, value);
const get = (q: Query, name: string) => q.one<{ value: string }>("SELECT value FROM settings WHERE name = ?", name);

describe.each(drivers)("$name", ({ open }) => {
  let store: TestStore;
  beforeEach(async () => {
    store = await open();
  });
  afterEach(() => store.remove());

  const names = async () => {
    const rows = await store.read((q) => q.all<{ name: string }>("SELECT name FROM settings ORDER BY name"));
    return rows.map(({ name }) => name).join(" ");
  };

  it("keeps what a write did and gives its value", async () => {
    const value = await store.write(async (tx) => {
      await put(tx, "a");
      return (await put(tx, "b")) + 1;
    });
    expect(value).toBe(2);
    expect(await names()).toBe("a b");
  });

  it("gives one row, or all of them, of the same query", async () => {
    await store.write((tx) => put(tx, "a"));
    const sql = "SELECT name FROM settings WHERE name = ?";
    const both = (q: Query) => Promise.all([q.one(sql, "a"), q.all(sql, "a"), q.one(sql, "a")]);
    const expected = [{ name: "a" }, [{ name: "a" }], { name: "a" }];
    expect([await store.read(both), await store.write(both)]).toEqual([expected, expected]);
  });

  it("undoes a write that throws, and only that one, among writes that commit together", async () => {
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

  it("gives a write what the same write did before, and a read only what was committed", async () => {
    await store.write(async (tx) => {
      await put(tx, "a", "1");
      expect(await get(tx, "a")).toEqual({ value: "1" });
      expect(await store.read((q) => get(q, "a"))).toBeUndefined();
    });
    expect(await store.read((q) => get(q, "a"))).toEqual({ value: "1" });
  });

  it("counts the rows a statement changed", async () => {
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

  it("loses no increment of many at once", async () => {
    await store.write((tx) => put(tx, "count", "0"));
    const increment = () =>
      store.write(async (tx) => {
        const row = await get(tx, "count");
        await tx.run("UPDATE settings SET value = ? WHERE name = 'count'", String(Number(row?.value) + 1));
      });
    await Promise.all(Array.from({ length: 10 }, increment));
    expect(await store.read((q) => get(q, "count"))).toEqual({ value: "10" });
  });

  it("names the table and the columns of a row that exists already", async () => {
    await store.write((tx) => put(tx, "a"));
    const error: unknown = await store.write((tx) => put(tx, "a")).catch((e) => e);
    expect(error).toMatchObject({
      table: "settings",
      columns: ["name"],
      message: "A row of settings with the same name exists already.",
    });
    expect(isUniqueViolation(error, "settings", "name")).toBe(true);
    expect(isUniqueViolation(error, "settings", "value")).toBe(false);
    expect(isUniqueViolation(error, "users")).toBe(false);
    expect(isUniqueViolation(new Error("other"))).toBe(false);
  });

  it("names both columns of a key of two", async () => {
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

  it("dooms a write whose query failed, even when the callback catches the error", async () => {
    await store.write((tx) => put(tx, "a"));
    const write = store.write(async (tx) => {
      await put(tx, "b");
      await put(tx, "a").catch(() => {});
      await expect(put(tx, "c")).rejects.toThrow("exists already");
      return "fine";
    });
    await expect(write).rejects.toThrow("exists already");
    expect(await names()).toBe("a");
  });

  it("refuses a query of a write that is over", async () => {
    let leaked: Query | undefined;
    await store.write(async (tx) => {
      leaked = tx;
    });
    await expect(put(leaked as Query, "late")).rejects.toThrow("This transaction is over");
    expect(await names()).toBe("");
  });

  it("refuses to write in a read", async () => {
    await expect(store.read((q) => put(q, "a"))).rejects.toThrow(/read-?only/i);
    expect(await names()).toBe("");
  });

  it("finishes the writes that wait when it closes, and refuses later ones", async () => {
    const waiting = store.write((tx) => put(tx, "a"));
    await store.close();
    await waiting;
    await expect(store.write((tx) => put(tx, "b"))).rejects.toMatchObject({ name: "StoreUnavailable" });
    await expect(store.read(async () => 1)).rejects.toMatchObject({ name: "StoreUnavailable" });
  });

  it("reports its health", async () => {
    const checks = await store.check({ thorough: true });
    expect(checks.length).toBeGreaterThan(2);
    expect(checks.filter(({ ok }) => !ok)).toEqual([]);
  });

  const texts = ["", "it's", 'a "quoted" one', "what? $1 ?", "-- no comment", "Ünïcødé 🎮", "line\nbreak", "\\ \\'", "%_"];
  it.each(texts)("keeps the text %j", async (text) => {
    await store.write((tx) => put(tx, "text", text));
    expect(await store.read((q) => get(q, "text"))).toEqual({ value: text });
  });

  it("leaves question marks in strings, quoted names and comments alone", async () => {
    const row = await store.read((q) => q.one(`SELECT 'it''s ?' AS a, CAST(? AS TEXT) AS "b?" -- why?`, "x"));
    expect(row).toEqual({ a: "it's ?", "b?": "x" });
  });

  it.each([0, -1, 2 ** 31, -(2 ** 31) - 1, 1_800_000_000_000, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER])(
    "keeps the integer %d",
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
    "does not round what %s holds beyond 2^53",
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
  ])("refuses to store %s", async (_, value) => {
    await expect(store.write((tx) => tx.run("UPDATE settings SET value = ?", value))).rejects.toThrow(RangeError);
  });

  it("keeps bytes", async () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, i) => i);
    const row = ["k", "f", 200, "{}", bytes, 1, 2] as const;
    await store.write((tx) => tx.run("INSERT INTO idempotency VALUES ('u', ?, ?, ?, ?, ?, ?, ?)", ...row));
    const found = await store.read((q) => q.one<{ body: Uint8Array }>("SELECT body FROM idempotency"));
    expect(Buffer.compare(Buffer.from(found?.body ?? []), bytes)).toBe(0);
  });

  it("gives truth values as 0 and 1", async () => {
    expect(await store.read((q) => q.one("SELECT EXISTS (SELECT 1 FROM settings) AS none, 1 = 1 AS yes"))).toEqual({
      none: 0,
      yes: 1,
    });
  });
});

describe("a SQLite write that awaits something else than its queries", () => {
  const sqlite = drivers.find(({ name }) => name === "sqlite")!;
  const cases: [string, () => Promise<unknown>][] = [
    ["a timer", () => setTimeout(0)],
    ["the next turn of the loop", () => new Promise((resolve) => setImmediate(resolve))],
    ["a file", () => readFile(import.meta.filename)],
    ["nothing that ever comes", () => new Promise(() => {})],
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
