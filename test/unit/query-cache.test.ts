import { describe, expect, it } from "vitest";
import type { Value } from "../../server/database/port.ts";
import { QueryCache } from "../../server/database/sqlite/query-cache.ts";

/** A cache in front of a database that counts its queries. */
function setUp() {
  const state = { asked: 0 };
  const cache = new QueryCache();
  const read = <T>(values: Value[], answer: T, query = "games") =>
    cache.recall(query, values, () => {
      state.asked++;
      return answer;
    });
  return { state, cache, read };
}

describe("query cache", () => {
  it("queries once, whether there is a row or not", () => {
    const { state, read } = setUp();
    expect([read(["a"], { name: "a" }), read(["a"], { name: "b" })]).toEqual([{ name: "a" }, { name: "a" }]);
    expect([read(["none"], undefined), read(["none"], { name: "late" })]).toEqual([undefined, undefined]);
    expect(state.asked).toBe(2);
  });

  it("queries again after it was cleared", () => {
    const { read, cache } = setUp();
    expect(read(["a"], "old")).toBe("old");
    cache.clear();
    expect(read(["a"], "new")).toBe("new");
  });

  it.each([
    ["a number and the same digits as text", [1], ["1"]],
    ["null and the text null", [null], ["null"]],
    ["two texts and one that looks like both", ["a", "b"], ['a","b']],
  ])("keeps different values apart: %s", (_, first, second) => {
    const { read } = setUp();
    expect([read(first, "first"), read(second, "second")]).toEqual(["first", "second"]);
  });

  it("keeps queries apart", () => {
    const { read } = setUp();
    expect([read([], "one", "games"), read([], "two", "slots")]).toEqual(["one", "two"]);
  });

  it("returns rows that cannot be changed", () => {
    const { read } = setUp();
    const rows = read([], [{ name: "a" }]);
    expect(() => rows.push({ name: "c" })).toThrow(TypeError);
    expect(() => Object.assign(rows[0]!, { name: "b" })).toThrow(TypeError);
  });

  it("keeps no result of more than 20 rows, and at most 1,000 rows in all", () => {
    const { state, read } = setUp();
    const long = Array.from({ length: 21 }, (_, index) => ({ index }));
    read(["long"], long);
    read(["long"], long);
    expect(state.asked).toBe(2);
    for (let index = 0; index < 1_000; index++) read([index], { index });
    read([0], { index: 0 });
    expect(state.asked).toBe(2 + 1_000);
    read([1_000], { index: 1_000 });
    read([0], { index: 0 });
    expect(state.asked).toBe(2 + 1_000 + 2);
  });
});
