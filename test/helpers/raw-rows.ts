import type { Query, Value } from "../../server/database/port.ts";

/**
 * Rows as a test writes them: into a table of any version of the database, with any values, and only in the columns that are given.
 * `server/database/rows.ts` writes rows of the present version.
 */
export const insertRow = (tx: Query, table: string, row: object) => insertRows(tx, table, [row]);

/** Inserts rows with the same fields. */
export const insertRows = (tx: Query, table: string, rows: readonly object[]) => tx.run(...insertion(table, rows));

/** Inserts rows with the same fields without waiting for the result. */
export const sendRows = (tx: Query, table: string, rows: readonly object[]) => tx.send(...insertion(table, rows));

function insertion(table: string, rows: readonly object[]): [sql: string, ...values: Value[]] {
  const names = Object.keys(rows[0]!);
  const marks = rows.map(() => `(${names.map(() => "?").join(", ")})`).join(", ");
  return [`INSERT INTO ${table} (${names.join(", ")}) VALUES ${marks}`, ...rows.flatMap((row) => Object.values(row) as Value[])];
}
