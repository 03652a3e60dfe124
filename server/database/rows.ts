import { type Page, paged } from "./keyset.ts";
import type { Query, Value } from "./port.ts";
import { type New, schema, type TableName, type Tables } from "./schema/index.ts";

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

/** What a row has in each column unless it says otherwise. Undefined in those that every row must say. */
const presets = new Map<string, Readonly<Record<string, Value | undefined>>>(
  Object.entries(schema).map(([table, columns]) => [
    table,
    Object.fromEntries(Object.entries(columns).map(([name, { preset }]) => [name, preset])),
  ]),
);

/** The row as it is stored: columns that `row` leaves out are null or have their default. */
export function fullRow<K extends TableName>(table: K, row: New<K>): Tables[K] {
  const preset = presets.get(table)!;
  const full: Record<string, Value | undefined> = {};
  for (const name in preset) full[name] = (row as typeof full)[name] ?? preset[name];
  return full as Tables[K];
}

/** Inserts a row, and returns it as it is stored. */
export async function insertRow<K extends TableName>(tx: Query, table: K, row: New<K>): Promise<Tables[K]> {
  const full = fullRow(table, row);
  await insertRows(tx, table, [full]);
  return full;
}

/** Inserts one or more rows in one statement. */
export const insertRows = <K extends TableName>(tx: Query, table: K, rows: readonly New<K>[]): Promise<number> =>
  tx.run(...insertion(table, rows));

/** Inserts a row unless the database has one with the same key, or the same values in a unique index. False if it has. */
export async function addRow<K extends TableName>(tx: Query, table: K, row: New<K>): Promise<boolean> {
  const [sql, ...values] = insertion(table, [row]);
  return (await tx.run(`${sql} ON CONFLICT DO NOTHING`, ...values)) === 1;
}

function putting<K extends TableName>(table: K, row: New<K>, key: readonly (keyof Tables[K])[]): ReturnType<typeof insertion> {
  const [sql, ...values] = insertion(table, [row]);
  const set = Object.keys(schema[table]).filter((name) => !key.includes(name as keyof Tables[K]));
  const changes = set.map((name) => `${name} = excluded.${name}`).join(", ");
  return [`${sql} ON CONFLICT (${key.join(", ")}) DO UPDATE SET ${changes}`, ...values];
}

/** Inserts a row, or changes all other columns of the row that has the same values in the columns of `key`. */
export async function putRow<K extends TableName>(tx: Query, table: K, row: New<K>, ...key: (keyof Tables[K])[]): Promise<void> {
  await tx.run(...putting(table, row, key));
}

/** The same without waiting for the result: see `Query.send`. */
export const sendPut = <K extends TableName>(tx: Query, table: K, row: New<K>, ...key: (keyof Tables[K])[]): void =>
  tx.send(...putting(table, row, key));

/** Inserts a row without waiting for the result (see `Query.send`), and returns it as it is stored. */
export function sendRow<K extends TableName>(tx: Query, table: K, row: New<K>): Tables[K] {
  const full = fullRow(table, row);
  sendRows(tx, table, [full]);
  return full;
}

/** Inserts one or more rows without waiting for the result: see `Query.send`. */
export const sendRows = <K extends TableName>(tx: Query, table: K, rows: readonly New<K>[]): void =>
  tx.send(...insertion(table, rows));

/** Rows in one statement of `sendManyRows`. Few sizes make few statements to prepare. */
const rowsAtOnce = 20;

/** Inserts any number of rows without waiting for the result: see `Query.send`. */
export function sendManyRows<K extends TableName>(tx: Query, table: K, rows: readonly New<K>[]): void {
  const together = rows.length - (rows.length % rowsAtOnce);
  for (let from = 0; from < together; from += rowsAtOnce) sendRows(tx, table, rows.slice(from, from + rowsAtOnce));
  for (const row of rows.slice(together)) sendRow(tx, table, row);
}

function insertion(table: TableName, rows: readonly object[]): [sql: string, ...values: Value[]] {
  const preset = presets.get(table)!;
  const insertion: [sql: string, ...values: Value[]] = [
    textFor(`insert ${rows.length} ${table}`, () => insertText(table, Object.keys(preset), rows.length)),
  ];
  for (const row of rows as readonly Record<string, Value | undefined>[])
    for (const name in preset) insertion.push((row[name] ?? preset[name]) as Value);
  return insertion;
}

const insertText = (table: string, names: readonly string[], rows: number) =>
  `INSERT INTO ${table} (${names.join(", ")}) VALUES ${Array(rows).fill(marks(names)).join(", ")}`;

/** The expected value of each column, which may be null, or a list of allowed values, which must not be empty. */
export type Expected<K extends TableName> = { readonly [C in keyof Tables[K]]?: Tables[K][C] | readonly Tables[K][C][] };

/** SQL that holds for the rows that match `expected`, and its values. */
function condition(expected: object): [sql: string, ...values: Value[]] {
  const entries: [string, Value | readonly Value[]][] = Object.entries(expected);
  const terms = entries.map(([name, value]) => {
    if (value === null) return `${name} IS NULL`;
    return Array.isArray(value) ? `${name} IN ${marks(value)}` : `${name} = ?`;
  });
  return [terms.join(" AND "), ...entries.flatMap(([, value]) => (value === null ? [] : (value as Value | Value[])))];
}

/** The first row that matches `expected`. */
export function findRow<K extends TableName>(q: Query, table: K, expected: Expected<K>) {
  const [sql, ...values] = condition(expected);
  return q.one<Tables[K]>(`SELECT * FROM ${table} WHERE ${sql}`, ...values);
}

/** The rows that match `expected`, in the order of these columns. */
export function findRows<K extends TableName>(q: Query, table: K, expected: Expected<K>, ...order: (keyof Tables[K] & string)[]) {
  const [sql, ...values] = condition(expected);
  return q.all<Tables[K]>(`SELECT * FROM ${table} WHERE ${sql} ORDER BY ${order.join(", ")}`, ...values);
}

/** A page of the rows that match `expected`, newest first unless `order` is "oldest". */
export function listRows<K extends TableName>(
  q: Query,
  table: K,
  page: Page,
  expected: Expected<K>,
  order?: "newest" | "oldest",
) {
  const [sql, ...values] = condition(expected);
  return paged(q, page, table, order).all<Tables[K]>(`SELECT * FROM ${table} WHERE ${sql}`, ...values);
}

/** How many rows match `expected`. */
export async function countRows<K extends TableName>(q: Query, table: K, expected: Expected<K>): Promise<number> {
  const [sql, ...values] = condition(expected);
  return (await q.one<{ n: number }>(`SELECT COUNT(*) AS n FROM ${table} WHERE ${sql}`, ...values))!.n;
}

/** Changes the given fields of the row with this id. */
export const updateRow = <K extends TableName>(tx: Query, table: K, id: string, changes: Partial<Tables[K]>) =>
  change(tx, table, changes, { id });

/** Changes the given fields of the rows that match `expected` (compare and set). Returns the number of changed rows. */
export const updateWhere = <K extends TableName>(
  tx: Query,
  table: K,
  changes: Partial<Tables[K]>,
  expected: Expected<K>,
): Promise<number> => change(tx, table, changes, expected);

function change(tx: Query, table: TableName, changes: object, expected: object): Promise<number> {
  const set = Object.keys(changes).map((name) => `${name} = ?`);
  const [sql, ...values] = condition(expected);
  return tx.run(`UPDATE ${table} SET ${set.join(", ")} WHERE ${sql}`, ...(Object.values(changes) as Value[]), ...values);
}

/** Removes the rows that match `expected`. Returns how many. */
export function deleteWhere<K extends TableName>(tx: Query, table: K, expected: Expected<K>): Promise<number> {
  const [sql, ...values] = condition(expected);
  return tx.run(`DELETE FROM ${table} WHERE ${sql}`, ...values);
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
