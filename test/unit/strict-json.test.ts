import { describe, expect, it } from "vitest";
import { parseStrictJson } from "../../server/http/json.ts";

const parse = (text: string) => parseStrictJson(Buffer.from(text));
const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);

describe("strict JSON", () => {
  it.each([
    ["32 arrays in each other", nested(32)],
    ["40 arrays beside each other", `[${Array.from({ length: 40 }, () => "[]").join(",")}]`],
    ["brackets inside a string", JSON.stringify({ text: "[{".repeat(100) })],
    ["brackets behind an escaped quote", JSON.stringify({ text: `"${"[".repeat(100)}` })],
    ["brackets behind an escaped backslash that ends a string", `["\\\\",${nested(31)}]`],
  ])("accepts %s", (_, text) => {
    expect(parse(text)).toEqual(JSON.parse(text));
  });

  it.each([
    ["33 arrays in each other", nested(33)],
    ["33 objects in each other", `${'{"a":'.repeat(33)}1${"}".repeat(33)}`],
    ["a megabyte of brackets that never close, without parsing it", "[".repeat(1_000_000)],
  ])("refuses %s", (_, text) => {
    expect(() => parse(text)).toThrow("it is nested more than 32 deep");
  });
});
