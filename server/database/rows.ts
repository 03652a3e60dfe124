import type { Query, Value } from "./port.ts";

/** Texts made once: as many as there are kinds of rows, numbers of them in one statement, and kinds of changes in the code. */
const texts = new Map<string, string>();

function textFor(key: string, make: () => string): string {
  const known = texts.get(key);
  if (known !== undefined) return known;
  const text = make();
  texts.set(key, text);
  return text;
}

const marks = (values: readonly unknown[]) => `(${values.map(() => "?").join(", ")})`;
const insertText = (table: string, names: readonly string[], rows: number) =>
  `INSERT INTO ${table} (${names.join(", ")}) VALUES ${Array(rows).fill(marks(names)).join(", ")}`;

/** Inserts a row whose columns are its fields. The table and the field names come from code, never from a request. */
export const insertRow = (tx: Query, table: string, row: object) => insertRows(tx, table, [row]);

/** Several rows with the same fields in one statement; at least one. */
export function insertRows(tx: Query, table: string, rows: readonly object[]): Promise<number> {
  const names = Object.keys(rows[0]!);
  const sql = textFor(`insert ${rows.length} ${table} ${names}`, () => insertText(table, names, rows.length));
  return tx.run(sql, ...rows.flatMap((row) => Object.values(row) as Value[]));
}

/** Changes the given fields of the row with this id. */
export const updateRow = (tx: Query, table: string, id: string, changes: object) => updateWhere(tx, table, changes, { id });

/** What a column must be, or a list with all that it may be. */
export type Expected = Readonly<Record<string, Value | readonly Value[]>>;

/** Changes the given fields of the rows that are as `expected` says (compare and set); how many they were. */
export function updateWhere(tx: Query, table: string, changes: object, expected: Expected): Promise<number> {
  const changed = Object.keys(changes);
  const compared = Object.entries(expected).map(([name, value]) => ({ name, values: Array.isArray(value) ? value : [value] }));
  const sql = textFor(
    `update ${table} ${changed} where ${compared.map(({ name, values }) => `${name} ${values.length}`)}`,
    () => {
      const conditions = compared.map(({ name, values }) =>
        values.length === 1 ? `${name} = ?` : `${name} IN ${marks(values)}`,
      );
      return `UPDATE ${table} SET ${changed.map((name) => `${name} = ?`).join(", ")} WHERE ${conditions.join(" AND ")}`;
    },
  );
  return tx.run(sql, ...(Object.values(changes) as Value[]), ...compared.flatMap(({ values }) => values as Value[]));
}

/** `make` once for each row that is handed out again and again: what was read is shared and never changed (see `Store.read`). */
export function perRow<Row extends object, T extends object>(make: (row: Row) => T): (row: Row) => T {
  const made = new WeakMap<Row, T>();
  return (row) => {
    const known = made.get(row);
    if (known !== undefined) return known;
    const value = make(row);
    made.set(row, value);
    return value;
  };
}
