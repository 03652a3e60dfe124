import { describe, expect, it } from "vitest";
import type { Value } from "../../server/database/port.ts";
import { QueryCache } from "../../server/database/sqlite/query-cache.ts";

/** A cache in front of a database that counts its queries. */
function setUp() {
  const state = { asked: 0 };
  const cache = new QueryCache();
  const read = <T>(values: Value[], answer: T, { query = "games ", tables = ["games"] } = {}) =>
    cache.recall(
      query,
      values,
      tables.map((name) => cache.table(name)),
      () => {
        state.asked++;
        return answer;
      },
    );
  const commit = (...tables: string[]) => {
    cache.changing(tables.map((name) => cache.table(name)));
    cache.committing();
  };
  return { state, cache, read, commit };
}

describe("query cache", () => {
  it("queries once, whether there is a row or not", () => {
    const { state, read } = setUp();
    expect([read(["a"], { name: "a" }), read(["a"], { name: "b" })]).toEqual([{ name: "a" }, { name: "a" }]);
    expect([read(["none"], undefined), read(["none"], { name: "late" })]).toEqual([undefined, undefined]);
    expect(state.asked).toBe(2);
  });

  it("queries again after a commit that changed a table of the query, and only then", () => {
    const { read, commit } = setUp();
    const both = { query: "joined ", tables: ["games", "users"] };
    const seen = () => [read(["a"], "new"), read(["a"], "new", both)].join(" ");
    expect([read(["a"], "old"), read(["a"], "old", both)].join(" ")).toBe("old old");
    commit("slots");
    expect(seen()).toBe("old old");
    commit("users");
    expect(seen()).toBe("old new");
    commit("games", "slots");
    expect(seen()).toBe("new new");
  });

  it("queries again after a commit that may have changed anything, also tables that it did not know", () => {
    const { cache, read } = setUp();
    expect(read(["a"], "old")).toBe("old");
    cache.changing(undefined);
    expect(cache.table("users").changed).toBe(true);
    cache.committing();
    expect(read(["a"], "new")).toBe("new");
    expect(cache.table("slots").changed).toBe(false);
  });

  it.each([
    ["a number and the same digits as text", [1], ["1"]],
    ["null and the text null", [null], ["null"]],
    ["null and the JSON of its list", [null], ["[null]"]],
    ["two texts and one that looks like both", ["a", "b"], ['a","b']],
  ])("keeps different values apart: %s", (_, first, second) => {
    const { read } = setUp();
    expect([read(first, "first"), read(second, "second")]).toEqual(["first", "second"]);
  });

  it("keeps queries apart", () => {
    const { read } = setUp();
    expect([read([], "one"), read([], "two", { query: "slots " })]).toEqual(["one", "two"]);
  });

  it("returns rows that cannot be changed", () => {
    const { read } = setUp();
    const rows = read([], [{ name: "a" }]);
    expect(() => rows.push({ name: "c" })).toThrow(TypeError);
    expect(() => Object.assign(rows[0]!, { name: "b" })).toThrow(TypeError);
  });

  it.each([
    ["more than 20 rows", Array.from({ length: 21 }, (_, index) => ({ index }))],
    ["bytes", { hash: "a", bytes: new Uint8Array(3) }],
  ])("keeps no result with %s", (_, result) => {
    const { state, read } = setUp();
    read(["large"], result);
    read(["large"], result);
    expect(state.asked).toBe(2);
  });

  it.each([
    ["30 rows of 1 MB", 30, { description: "x".repeat(2 ** 20) }],
    ["4,000 lists of ten rows of 1 kB", 4_000, Array.from({ length: 10 }, () => ({ description: "x".repeat(1_000) }))],
    ["140,000 keys without a row", 140_000, undefined],
  ])("keeps what is asked for, and forgets the rest after two generations of 16 MB: %s", (_, count, row) => {
    const { state, read } = setUp();
    read(["forgotten"], row);
    for (let index = 0; index < count; index++) {
      read(["asked"], row);
      read([index], row);
    }
    expect(state.asked).toBe(2 + count);
    read(["forgotten"], row);
    expect(state.asked).toBe(2 + count + 1);
  });

  it("keeps the rows of 10,000 games", () => {
    const { state, read } = setUp();
    const game = Object.fromEntries(Array.from({ length: 30 }, (_, column) => [`column${column}`, "x".repeat(20)]));
    for (let round = 0; round < 3; round++) for (let index = 0; index < 10_000; index++) read([index], { ...game });
    expect(state.asked).toBe(10_000);
  });
});
