import { type CliError, usage } from "../errors.ts";
import { at, col, type View } from "./cells.ts";

export type Item = Record<string, unknown>;

/** Columns for data no view describes: the plain fields of the first item. */
export const guessView = (item: Item | undefined): View => ({ columns: Object.keys(item ?? {}).map((key) => col(key, key)) });

/** The one object inside `{ game: {…} }`; several or none: the data itself. */
export function subjectOf(data: unknown): unknown {
  const values = Object.values((data ?? {}) as object);
  const [only] = values;
  return values.length === 1 && typeof only === "object" && only !== null && !Array.isArray(only) ? only : data;
}

/** Told of a field that no item has; it may throw. */
export type OnMissing = (error: CliError) => void;

export function pickFields(items: readonly Item[], fields: readonly string[], onMissing: OnMissing): Item[] {
  const unknown = fields.find((field) => items.length > 0 && items.every((item) => at(item, field) === undefined));
  if (unknown) {
    const known = [...new Set(items.flatMap((item) => Object.keys(item)))];
    onMissing(usage(`--json: there is no field ${unknown}.`, `Fields: ${known.join(", ")}.`));
  }
  return items.map((item) => Object.fromEntries(fields.map((field) => [field, at(item, field) ?? null])));
}

/** The data with its subject narrowed to some fields, in its place, and without what stands beside it. */
export function narrow(data: unknown, subject: unknown, fields: readonly string[], onMissing: OnMissing): unknown {
  if (data === subject) return pickFields([subject as Item], fields, onMissing)[0];
  if (typeof data !== "object" || data === null) return undefined;
  const kept = Object.entries(data).map(([key, value]) => [key, narrow(value, subject, fields, onMissing)] as const);
  const found = kept.filter(([, value]) => value !== undefined);
  return found.length > 0 ? Object.fromEntries(found) : undefined;
}
