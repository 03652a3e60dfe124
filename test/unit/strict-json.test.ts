import { describe, expect, it } from "vitest";
import { parseStrictJson } from "../../server/http/json.ts";

const parse = (text: string) => parseStrictJson(Buffer.from(text));
const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);

describe("strict JSON", () => {
  it.each([
    ["32 nested arrays", nested(32)],
    ["40 arrays that are not nested", `[${Array.from({ length: 40 }, () => "[]").join(",")}]`],
    ["brackets inside a string", JSON.stringify({ text: "[{".repeat(100) })],
    ["brackets after an escaped quote", JSON.stringify({ text: `"${"[".repeat(100)}` })],
    ["brackets after a string that ends in an escaped backslash", `["\\\\",${nested(31)}]`],
  ])("accepts %s", (_, text) => {
    expect(parse(text)).toEqual(JSON.parse(text));
  });

  it.each([
    ["33 nested arrays", nested(33)],
    ["33 nested objects", `${'{"a":'.repeat(33)}1${"}".repeat(33)}`],
    ["a megabyte of brackets that never close, without parsing it", "[".repeat(1_000_000)],
  ])("refuses %s", (_, text) => {
    expect(() => parse(text)).toThrow("it is nested more than 32 deep");
  });
});
