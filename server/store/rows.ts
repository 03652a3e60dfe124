import type { Query, Value } from "./db.ts";

/** Inserts a row whose columns are its fields. The table and the field names come from code, never from a request. */
export const insertRow = (tx: Query, table: string, row: object): Promise<number> => insertRows(tx, table, [row]);

/** Several rows with the same fields in one statement; at least one. */
export function insertRows(tx: Query, table: string, rows: readonly object[]): Promise<number> {
  const names = Object.keys(rows[0]!);
  const places = `(${names.map(() => "?").join(", ")})`;
  const values = rows.flatMap((row) => Object.values(row) as Value[]);
  return tx.run(`INSERT INTO ${table} (${names.join(", ")}) VALUES ${rows.map(() => places).join(", ")}`, ...values);
}

/** Changes the given fields of the row with this id, only while it still is as `expected` says (compare and set). */
export function updateRow(tx: Query, table: string, id: string, changes: object, expected: object = {}): Promise<number> {
  const [changed, compared] = [Object.entries(changes), Object.entries(expected)] as [string, Value][][];
  const sets = changed!.map(([name]) => `${name} = ?`).join(", ");
  const conditions = compared!.map(([name]) => ` AND ${name} = ?`).join("");
  return tx.run(
    `UPDATE ${table} SET ${sets} WHERE id = ?${conditions}`,
    ...changed!.map(([, v]) => v),
    id,
    ...compared!.map(([, v]) => v),
  );
}
