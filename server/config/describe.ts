import * as z from "zod";
import type { Setting } from "./schema.ts";

/** Describes settings in words: the allowed values, and values in readable units. */

interface Shape {
  type?: string;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  enum?: string[];
  default?: unknown;
  description?: string;
  anyOf?: Shape[];
  "x-unit"?: string;
  "x-expected"?: string;
}

export function shapeOf(type: z.ZodType): Shape & { nullable: boolean } {
  const outer = z.toJSONSchema(type, { io: "input" }) as Shape;
  const inner = outer.anyOf?.find((option) => option.type !== "null");
  return { ...inner, ...outer, type: inner?.type ?? outer.type ?? "string", nullable: inner !== undefined };
}

/** False for the limits of JavaScript numbers, which are not limits of the setting. */
const isBound = (bound: number | undefined): bound is number =>
  bound !== undefined && Math.abs(bound) !== Number.MAX_SAFE_INTEGER;

/** The minimum and maximum of a number. */
export const boundsOf = ({ minimum, maximum }: Shape): [number | null, number | null] => [
  isBound(minimum) ? minimum : null,
  isBound(maximum) ? maximum : null,
];

/** The range of a number; `text` formats each bound. Undefined for a setting that is not a number. */
function between(shape: Shape, text: (bound: number) => string): string | undefined {
  if (shape.type !== "integer" && shape.type !== "number") return undefined;
  const [least, most] = boundsOf(shape);
  if (shape.exclusiveMinimum !== undefined) return `more than ${shape.exclusiveMinimum}, at most ${text(most!)}`;
  return most === null ? `at least ${text(least!)}` : `${text(least!)} to ${text(most)}`;
}

const choices = (shape: Shape) => (shape.type === "boolean" ? "true or false" : shape.enum!.join(" or "));
const orNull = ({ nullable }: { nullable: boolean }) => (nullable ? ", or null" : "");

/** The allowed values of a setting, as the end of a sentence that starts with "It must be". */
export function expectation({ type }: Setting): string {
  const shape = shapeOf(type);
  if (shape["x-expected"] !== undefined) return shape["x-expected"];
  const range = between(shape, String);
  if (range === undefined) return choices(shape) + orNull(shape);
  const kind = shape.type === "integer" ? "a whole number" : "a number";
  const unit = shape["x-unit"] === undefined ? "" : ` (${shape["x-unit"]})`;
  return `${kind} ${/^\d/.test(range) ? "from " : ""}${range}${unit}${orNull(shape)}`;
}

/** The allowed values of a setting, for a table that has its unit in another column. */
export function rangeText(shape: ReturnType<typeof shapeOf>): string {
  if (shape["x-expected"] !== undefined) return shape["x-expected"];
  return (between(shape, (bound) => valueText(bound, shape["x-unit"])) ?? choices(shape)) + orNull(shape);
}

const times = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "min"],
  [1_000, "s"],
] as const;
const sizes = [
  [1024 ** 4, "TiB"],
  [1024 ** 3, "GiB"],
  [1024 ** 2, "MiB"],
  [1024, "KiB"],
] as const;

/** A number of milliseconds, bytes or cents in a readable unit: `1 d`, `8 GiB`, `$15.00`. Undefined for others. */
function readable(value: unknown, unit: string | undefined): string | undefined {
  if (typeof value !== "number" || value === 0) return undefined;
  if (unit === "US cents") return `$${(value / 100).toFixed(2)}`;
  const table = unit === "milliseconds" ? times : unit === "bytes" ? sizes : [];
  const [size, name] = table.find(([size]) => value >= size && value % size === 0) ?? [];
  return size === undefined ? undefined : `${value / size} ${name}`;
}

/** A value as in the file, followed by its readable form. */
export function valueText(value: unknown, unit: string | undefined): string {
  const text = readable(value, unit);
  return text === undefined ? JSON.stringify(value) : `${JSON.stringify(value)} (${text})`;
}
