import type { Query, Value } from "./port.ts";

/** Generated SQL texts. Their number is bounded by the kinds of rows and changes in the code and the number of rows per statement. */
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

/** Inserts a row; its fields are the columns. Table and field names come from code, never from a request. */
export const insertRow = (tx: Query, table: string, row: object) => insertRows(tx, table, [row]);

/** Inserts one or more rows with the same fields in one statement. */
export const insertRows = (tx: Query, table: string, rows: readonly object[]): Promise<number> =>
  tx.run(...insertion(table, rows));

/** Inserts a row without waiting for the result: see `Query.send`. */
export const sendRow = (tx: Query, table: string, row: object) => sendRows(tx, table, [row]);

/** Inserts one or more rows with the same fields without waiting for the result: see `Query.send`. */
export function sendRows(tx: Query, table: string, rows: readonly object[]): void {
  tx.send(...insertion(table, rows));
}

/** Rows in one statement of `sendManyRows`. Few sizes make few statements to prepare. */
const rowsAtOnce = 20;

/** Inserts any number of rows with the same fields without waiting for the result: see `Query.send`. */
export function sendManyRows(tx: Query, table: string, rows: readonly object[]): void {
  const together = rows.length - (rows.length % rowsAtOnce);
  for (let from = 0; from < together; from += rowsAtOnce) sendRows(tx, table, rows.slice(from, from + rowsAtOnce));
  for (const row of rows.slice(together)) sendRow(tx, table, row);
}

function insertion(table: string, rows: readonly object[]): [sql: string, ...values: Value[]] {
  const names = Object.keys(rows[0]!);
  const insertion: [sql: string, ...values: Value[]] = [
    textFor(`insert ${rows.length} ${table} ${names}`, () => insertText(table, names, rows.length)),
  ];
  // Faster than `flatMap`.
  for (const row of rows) insertion.push(...(Object.values(row) as Value[]));
  return insertion;
}

/** Changes the given fields of the row with this id. */
export const updateRow = (tx: Query, table: string, id: string, changes: object) => updateWhere(tx, table, changes, { id });

/** The expected value of each column, or a list of allowed values. */
export type Expected = Readonly<Record<string, Value | readonly Value[]>>;

/** Changes the given fields of the rows that match `expected` (compare and set). Returns the number of changed rows. */
export function updateWhere(tx: Query, table: string, changes: object, expected: Expected): Promise<number> {
  const values = Object.values(changes) as Value[];
  let key = `update ${table} ${Object.keys(changes)} where`;
  for (const name in expected) {
    const value = expected[name]!;
    if (Array.isArray(value)) values.push(...value);
    else values.push(value as Value);
    key += Array.isArray(value) ? ` ${name} ${value.length}` : ` ${name}`;
  }
  return tx.run(
    textFor(key, () => updateText(table, changes, expected)),
    ...values,
  );
}

function updateText(table: string, changes: object, expected: Expected): string {
  const set = Object.keys(changes).map((name) => `${name} = ?`);
  const conditions = Object.entries(expected).map(([name, value]) =>
    Array.isArray(value) ? `${name} IN ${marks(value)}` : `${name} = ?`,
  );
  return `UPDATE ${table} SET ${set.join(", ")} WHERE ${conditions.join(" AND ")}`;
}

/** Caches the result of `make` per row object. Rows are shared between readers and never modified (see `Store.read`). */
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
