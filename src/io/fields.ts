import { type CliError, usage } from "../errors.ts";
import { at, type Column, type View } from "./cells.ts";

export type Item = Record<string, unknown>;

const isObject = (value: unknown): value is Item => typeof value === "object" && value !== null && !Array.isArray(value);

/** The dotted paths of an item's values: an object is no value of a cell, its fields are. */
const pathsOf = (item: Item, before = ""): string[] =>
  Object.entries(item).flatMap(([key, value]) => (isObject(value) ? pathsOf(value, `${before}${key}.`) : [before + key]));

const col = (header: string, value: Column["value"]): Column => ({ header, value, as: "text" });

/** Default columns for data without a view: the fields of the first item. */
export const guessView = (item: Item | undefined): View => ({ columns: pathsOf(item ?? {}).map((path) => col(path, path)) });

/**
 * Lines of a table for data without a view. Where one of its fields is a list of objects, each of them is a line, and the other fields
 * are repeated.
 */
export function guessTable(item: Item): { columns: readonly Column[]; rows: readonly Item[] } {
  const paths = pathsOf(item);
  const listed = (path: string) => {
    const value = at(item, path);
    return Array.isArray(value) && value.length > 0 && value.every(isObject) ? (value as Item[]) : undefined;
  };
  const [path, ...others] = paths.filter((one) => listed(one) !== undefined);
  if (path === undefined || others.length > 0) return { ...guessView(item), rows: [item] };
  const rows = listed(path)!;
  const inner = [...new Set(rows.flatMap((row) => pathsOf(row)))];
  const columns = paths.flatMap((one) =>
    one === path ? inner.map((field) => col(`${path}.${field}`, field)) : [col(one, () => at(item, one))],
  );
  return { columns, rows };
}

/** The only object inside data such as `{ game: {…} }`. If there are several or none, the data itself. */
export function subjectOf(data: unknown): unknown {
  const values = Object.values((data ?? {}) as object);
  const [only] = values;
  return values.length === 1 && typeof only === "object" && only !== null && !Array.isArray(only) ? only : data;
}

/** Called for a field that no item has. May throw. */
export type OnMissing = (error: CliError) => void;

export function pickFields(items: readonly Item[], fields: readonly string[], onMissing: OnMissing): Item[] {
  const unknown = fields.find((field) => items.length > 0 && items.every((item) => at(item, field) === undefined));
  if (unknown) {
    const known = [...new Set(items.flatMap((item) => Object.keys(item)))];
    onMissing(usage(`--json: unknown field ${JSON.stringify(unknown)}.`, `Known fields: ${known.join(", ")}.`));
  }
  return items.map((item) => Object.fromEntries(fields.map((field) => [field, at(item, field) ?? null])));
}

/** The data with its subject reduced to `fields`, and without the subject's siblings. */
export function narrow(data: unknown, subject: unknown, fields: readonly string[], onMissing: OnMissing): unknown {
  if (data === subject) return pickFields([subject as Item], fields, onMissing)[0];
  if (typeof data !== "object" || data === null) return undefined;
  const kept = Object.entries(data).map(([key, value]) => [key, narrow(value, subject, fields, onMissing)] as const);
  const found = kept.filter(([, value]) => value !== undefined);
  return found.length > 0 ? Object.fromEntries(found) : undefined;
}
