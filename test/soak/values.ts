import type { JsonSchema } from "../../src/contract/openapi/json-schema.ts";

/** A random integer from 0 up to, and without, `below`. */
export type Random = (below: number) => number;

/** The same numbers for the same seed. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  // mulberry32
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

export const pick = <T>(random: Random, from: readonly T[]): T => from[random(from.length)]!;

/** What programs do not expect: of every type, at the ends of ranges, and text that means something to some parser. */
const hostile: readonly unknown[] = [
  ...[null, true, false, [], {}, [[]], { a: { b: {} } }, [null], "", " ", "0", "-1", "null", "undefined", "NaN"],
  ...[0, -0, -1, 0.5, 1e-9, 1e21, 2 ** 31, 2 ** 53, -(2 ** 53), Number.MAX_SAFE_INTEGER, Number.MAX_VALUE],
  ...["\0", "\u202eabc", "\ud800", "é".repeat(300), "😀".repeat(70), "x".repeat(6000), "a\nb\r\nc", "\t", "\x7f\x1b[31m"],
  ...["' OR 1=1 --", "%", "_", "%00", "../../etc/passwd", "<script>", "=1+1", "toString", "__proto__", "constructor"],
  ...["2026-02-30", "9999-12-31T23:59:59Z", "0000-01-01T00:00:00Z", "1e3", "١٢٣", "Infinity", "javascript:alert(1)"],
  ...["http://127.0.0.1:1/", "https://user:pass@example.com:99999/", "a@b", "01900000-0000-7000-8000-000000000000"],
];

export const hostileValue = (random: Random): unknown => pick(random, hostile);

export const hostileText = (random: Random): string => {
  const value = hostileValue(random);
  return typeof value === "string" ? value : String(JSON.stringify(value));
};

const formats: Record<string, (random: Random) => string> = {
  email: (random) => `soak${random(50)}@example.com`,
  uri: (random) => `https://example.com/${random(100)}`,
  "date-time": (random) => new Date(Date.UTC(2025 + random(3), random(12), 1 + random(28))).toISOString(),
  bcp47: (random) => pick(random, ["en", "de", "pt-BR", "zh-Hans"]),
};

/** A value that a schema of the contract allows, most of the time. Ids are taken from `ids`. */
export function valueFor(schema: JsonSchema, random: Random, ids: readonly string[]): unknown {
  const { anyOf, enum: choices, const: only, type, format } = schema;
  if (only !== undefined) return only;
  if (choices) return pick(random, choices);
  if (anyOf) return valueFor(pick(random, anyOf) as JsonSchema, random, ids);
  if (type === "integer" || type === "number") return numberIn(schema, random);
  if (type === "boolean") return random(2) === 0;
  if (type === "null") return null;
  if (type === "array") return arrayOf(schema, random, ids);
  if (type === "object") return objectOf(schema, random, ids);
  if (format === "uuid") return pick(random, ids);
  const make = typeof format === "string" && Object.hasOwn(formats, format) ? formats[format] : undefined;
  return make ? make(random) : textIn(schema, random);
}

/** Near the ends of the range, or something small. */
function numberIn({ minimum = 0, maximum = 10_000 }: JsonSchema, random: Random): number {
  const small = Number(minimum) + random(Math.max(1, Math.min(100, Number(maximum) - Number(minimum) + 1)));
  return pick(random, [Number(minimum), Number(maximum), small, small, small]);
}

function textIn({ minLength = 0, maxLength = 200, pattern }: JsonSchema, random: Random): string {
  const length = Math.min(Number(maxLength), Number(minLength) + random(20));
  // Most patterns are of codes, hashes and slugs.
  const letters = pattern ? "0123456789abcdef" : "abc déf ghi 123 😀";
  return Array.from({ length }, () => pick(random, [...letters])).join("");
}

function arrayOf({ items, minItems = 0, maxItems = 5 }: JsonSchema, random: Random, ids: readonly string[]): unknown[] {
  const length = Math.min(Number(maxItems), Number(minItems) + random(4));
  return Array.from({ length }, () => valueFor((items ?? {}) as JsonSchema, random, ids));
}

function objectOf({ properties = {}, required = [] }: JsonSchema, random: Random, ids: readonly string[]): object {
  const wanted = Object.entries(properties).filter(([name]) => required.includes(name) || random(3) === 0);
  return Object.fromEntries(wanted.map(([name, property]) => [name, valueFor(property as JsonSchema, random, ids)]));
}

/** The value with one part of it replaced by something hostile, removed, or with a field that nobody knows. */
export function damaged(value: unknown, random: Random): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value) || random(12) === 0) return hostileValue(random);
  const names = Object.keys(value);
  if (names.length === 0 || random(6) === 0)
    return { ...value, [pick(random, ["extra", "__proto__", "id", ""])]: hostileValue(random) };
  const name = pick(random, names);
  const { [name]: part, ...rest } = value as Record<string, unknown>;
  return random(4) === 0 ? rest : { ...rest, [name]: damaged(part, random) };
}
