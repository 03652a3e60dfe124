import type { Data, Operation } from "../contract/index.ts";
import { at, type Column, type Format, type View } from "../io/cells.ts";

/**
 * Views of what a command prints, checked by the compiler against the reply that they show. A column is written as the name of its
 * field, after its header where that differs: `"id"`, `"game:gameName"`, `"playtester:playtester.displayName"`. The format follows from
 * the name of the field.
 */

type Plain = string | number | boolean | null | undefined | readonly unknown[];

/** The dotted paths of the values in an item. Values inside lists have none. */
export type Path<T, Depth extends readonly 0[] = []> = T extends object
  ? {
      [K in keyof T & string]: NonNullable<T[K]> extends Plain
        ? K
        : K | (Depth["length"] extends 2 ? never : `${K}.${Path<NonNullable<T[K]>, [...Depth, 0]>}`);
    }[keyof T & string]
  : never;

/** A field, such as `createdAt`, or a header and a field, such as `applied:createdAt`. */
type Field<T> = Path<T> | `${string}:${Path<T>}`;

/** A column of a view of items of type `T`. */
export interface ColumnOf<in T> extends Omit<Column, "value" | "inTable"> {
  value: string | ((item: T) => unknown);
  inTable?: (item: T) => unknown;
}

/** The view of items of type `T`. */
export type ViewOf<T> = View & { readonly accepts?: (item: T) => void };

type OnlyValue<D> = {
  [K in keyof D]: NonNullable<D[K]> extends readonly unknown[] ? never : NonNullable<D[K]> extends object ? K : never;
}[keyof D];

/** The only object inside data such as `{ game: {…} }`, otherwise the data itself. */
export type Subject<D> = [OnlyValue<D>] extends [never] ? D : keyof D extends OnlyValue<D> ? NonNullable<D[keyof D]> : D;

type Elements<D> = { [K in keyof D]: D[K] extends readonly (infer Item extends object)[] ? Item : never }[keyof D];

/** An item that the reply of an operation shows: one of a list, otherwise the subject of the reply. */
export type ItemOf<O extends Operation> = Elements<Data<O>> extends never ? Subject<Data<O>> : Elements<Data<O>>;

/** A row that a command makes itself, by the names of its fields. */
export type Row<Fields extends string> = Record<Fields, unknown>;

/** The format of a field, by its name: names of the contract say what their values are. */
export function formatOf(path: string): Format {
  const name = path.slice(path.lastIndexOf(".") + 1);
  if (/[cC]ents$/.test(name)) return "usd";
  if (/At$/.test(name)) return "ago";
  if (/^id$|Id$/.test(name)) return "id";
  if (/^status$|Status$|^state$/.test(name)) return "status";
  if (/^size$|Size$/.test(name)) return "bytes";
  return name === "durationMinutes" ? "minutes" : "text";
}

function columnOf(field: string, as: Format | undefined): Column {
  const colon = field.indexOf(":");
  const [header, value] = colon < 0 ? [field, field] : [field.slice(0, colon), field.slice(colon + 1)];
  return { header, value, as: as ?? formatOf(value) };
}

interface MakeColumn {
  <T>(header: string, value: (item: T) => unknown, as?: Format): ColumnOf<T>;
  <T>(field: Field<T>, as?: Format): ColumnOf<T>;
}

const makeColumn = (options: Partial<Column>) =>
  ((field: string, second?: Format | ((item: never) => unknown), as: Format = "text") =>
    typeof second === "function"
      ? { header: field, value: second, as, ...options }
      : { ...columnOf(field, second), ...options }) as unknown as MakeColumn;

/** A column whose value is computed, or that has another format than its field's name says. */
export const col = makeColumn({});
/** A column whose text wraps on a narrow terminal. */
export const prose = makeColumn({ overflow: "wrap" });
/** A column that a narrow terminal drops. */
export const optionalCol = makeColumn({ overflow: "drop" });
/** A line that is shown only in the detail view of one item. */
export const detail = makeColumn({ detail: true });

/** Marks a column that is about money, such as playtest hours, though it is not an amount of it. */
export const moneyCol = <T>(column: ColumnOf<T>): ColumnOf<T> => ({ ...column, money: true });

/** A column that a table on a terminal shows shorter. */
export const shorter = <T>(column: ColumnOf<T>, inTable: (item: T) => unknown): ColumnOf<T> => ({ ...column, inTable });

/** The value of a field that matters only while the item has this status. */
export const whileStatus =
  <T extends { status: string }>(status: T["status"], path: Path<T>) =>
  (item: T): unknown =>
    item.status === status ? at(item, path) : undefined;

interface ViewOptions {
  /** Message on standard error when a list is empty. */
  empty?: string;
  footer?: View["footer"];
}

/** The columns of a view, for one that is made of others. */
export const columnsOf = <T>(columns: readonly (Field<T> | ColumnOf<T>)[]): readonly ColumnOf<T>[] =>
  columns.map((one) => (typeof one === "string" ? (columnOf(one, undefined) as ColumnOf<T>) : one));

/** A view of items of type `T`, which the caller names: `viewOf<ItemOf<"listGames">>([…])`. */
export const viewOf = <T>(columns: readonly (Field<T> | ColumnOf<T>)[], options: ViewOptions = {}): ViewOf<T> => ({
  columns: columnsOf<T>(columns) as readonly Column[],
  ...options,
});

/** A view with further columns after its first, for the same items with more fields. */
export const withColumns = <T>(base: ViewOf<T>, further: readonly (Field<T> | ColumnOf<T>)[]): ViewOf<T> => {
  const [first, ...rest] = base.columns;
  return { ...base, columns: [...(first ? [first] : []), ...(columnsOf<T>(further) as readonly Column[]), ...rest] };
};
