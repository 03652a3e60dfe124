import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ReadMemory, tablesIn } from "../../server/database/sqlite/query-cache.ts";

/** A memory over a database that counts how often it was asked. */
function setUp() {
  const state = { asked: 0 };
  const memory = new ReadMemory();
  const text = (sql: string) => ({ sql, tables: tablesIn(sql) });
  const ask = <T>(values: (string | number | null)[], answer: T, { sql = "SELECT 1 FROM games", inside = false } = {}) =>
    memory.recall(
      text(sql),
      values,
      () => {
        state.asked++;
        return answer;
      },
      { inside },
    );
  return { state, memory, ask, read: ask, write: (sql: string) => memory.write(text(sql)) };
}

describe("what was read since its tables changed", () => {
  it("is not asked for again, whether there was a row or none", () => {
    const { state, read } = setUp();
    expect([read(["a"], { name: "a" }), read(["a"], { name: "b" })]).toEqual([{ name: "a" }, { name: "a" }]);
    expect([read(["none"], undefined), read(["none"], { name: "late" })]).toEqual([undefined, undefined]);
    expect(state.asked).toBe(2);
  });

  it("is forgotten when a change of one of its tables is committed, not before", () => {
    const { read, write, memory } = setUp();
    const sql = "SELECT 1 FROM slots s LEFT JOIN users u ON u.id = s.playtester_id";
    read(["a"], "old", { sql });
    write("UPDATE users SET name = ?");
    expect(read(["a"], "not committed", { sql })).toBe("old");
    memory.forget();
    expect(read(["a"], "new", { sql })).toBe("new");
  });

  it("is forgotten when the schema changes", () => {
    const { read, write, memory } = setUp();
    read(["a"], "old");
    write("ALTER TABLE users ADD COLUMN age INTEGER");
    memory.forget();
    expect(read(["a"], "new")).toBe("new");
  });

  it("stays when other tables change", () => {
    const { read, write, memory } = setUp();
    read(["a"], "old");
    write("INSERT INTO slots VALUES (?)");
    memory.forget();
    expect(read(["a"], "new")).toBe("old");
  });

  it("is not for the transaction that changed the table: it sees its own changes, and nobody else does", () => {
    const { ask, write } = setUp();
    ask(["a"], "old");
    write("DELETE FROM games WHERE id = ?");
    expect(ask(["a"], "its own", { inside: true })).toBe("its own");
    expect(ask(["a"], "new")).toBe("old");
  });

  it("is for a transaction that changed other tables only", () => {
    const { ask, write } = setUp();
    write("UPDATE slots SET status = ?");
    ask(["a"], "old", { inside: true });
    expect(ask(["a"], "new", { inside: true })).toBe("old");
  });

  it.each([
    ["a number and its text", [1], ["1"]],
    ["nothing and its word", [null], ["null"]],
    ["a text and its parts", ["a", "b"], ['a","b']],
  ])("tells apart %s", (_, first, second) => {
    const { read } = setUp();
    expect([read(first, "first"), read(second, "second")]).toEqual(["first", "second"]);
  });

  it("tells queries apart", () => {
    const { read } = setUp();
    expect([read([], "one", { sql: "SELECT 1 FROM games" }), read([], "two", { sql: "SELECT 2 FROM games" })]).toEqual([
      "one",
      "two",
    ]);
  });

  it("cannot be changed by who got it", () => {
    const { read } = setUp();
    const rows = read([], [{ name: "a" }]);
    expect(() => rows.push({ name: "c" })).toThrow(TypeError);
    expect(() => Object.assign(rows[0]!, { name: "b" })).toThrow(TypeError);
  });

  it("is bounded: long answers are not kept, and no more than 2,000 rows", () => {
    const { state, read } = setUp();
    const long = Array.from({ length: 21 }, (_, index) => ({ index }));
    read(["long"], long);
    read(["long"], long);
    expect(state.asked).toBe(2);
    for (let index = 0; index < 2_000; index++) read([index], { index });
    read([0], { index: 0 });
    expect(state.asked).toBe(2 + 2_000 + 1);
  });
});

describe("the tables of a text", () => {
  it.each([
    ["SELECT * FROM games WHERE id = ?", ["games"]],
    [
      "SELECT s.* FROM slots s JOIN playtests p ON p.id = s.playtest_id\n LEFT JOIN users u ON u.id = s.playtester_id",
      ["slots", "playtests", "users"],
    ],
    ["SELECT id FROM users u WHERE EXISTS (SELECT 1 FROM slots WHERE playtester_id = u.id)", ["users", "slots"]],
    ["INSERT INTO jobs (id) VALUES (?) ON CONFLICT (id) DO UPDATE SET run_at = excluded.run_at", ["jobs"]],
    ["UPDATE events SET seq = x.place FROM (SELECT id FROM events) x WHERE events.id = x.id", ["events"]],
    ["DELETE FROM idempotency WHERE expires_at <= ?", ["idempotency"]],
    ["PRAGMA user_version = 1", []],
  ])("%s", (sql, tables) => expect(tablesIn(sql)).toEqual(tables));

  it("are never joined by a comma, which would hide the second", () => {
    const folder = join(import.meta.dirname, "../../server");
    const sources = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
    expect(sources.length).toBeGreaterThan(100);
    const hidden = sources.filter((file) =>
      /\bFROM\s+[a-z_]+(\s+(AS\s+)?[a-z]+)?\s*,/.test(readFileSync(join(folder, file), "utf8")),
    );
    expect(hidden).toEqual([]);
  });
});
