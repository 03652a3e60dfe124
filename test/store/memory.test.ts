import { describe, expect, it } from "vitest";
import { ReadMemory } from "../../server/store/sqlite-memory.ts";

/** A memory over a database that counts how often it was asked. */
function setUp() {
  const state = { version: 1, asked: 0 };
  const memory = new ReadMemory(() => state.version);
  const read = <T>(values: (string | number | null)[], answer: T, sql = "SELECT 1") =>
    memory.recall(sql, values, () => {
      state.asked++;
      return answer;
    });
  return { state, read };
}

describe("what was read since the last commit", () => {
  it("is not asked for again, whether there was a row or none", () => {
    const { state, read } = setUp();
    expect([read(["a"], { name: "a" }), read(["a"], { name: "b" })]).toEqual([{ name: "a" }, { name: "a" }]);
    expect([read(["none"], undefined), read(["none"], { name: "late" })]).toEqual([undefined, undefined]);
    expect(state.asked).toBe(2);
  });

  it("is forgotten at the next commit", () => {
    const { state, read } = setUp();
    read(["a"], { name: "old" });
    state.version++;
    expect(read(["a"], { name: "new" })).toEqual({ name: "new" });
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
    expect([read([], "one", "SELECT 1"), read([], "two", "SELECT 2")]).toEqual(["one", "two"]);
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
