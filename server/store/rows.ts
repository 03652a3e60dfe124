import type { Query, Value } from "./db.ts";

/** Inserts a row whose columns are its fields. The table and the field names come from code, never from a request. */
export function insertRow(tx: Query, table: string, row: object): Promise<number> {
  const entries = Object.entries(row) as [string, Value][];
  const names = entries.map(([name]) => name).join(", ");
  return tx.run(
    `INSERT INTO ${table} (${names}) VALUES (${entries.map(() => "?").join(", ")})`,
    ...entries.map(([, value]) => value),
  );
}

/** Changes the given fields of the row with this id. */
export function updateRow(tx: Query, table: string, id: string, changes: object): Promise<number> {
  const entries = Object.entries(changes) as [string, Value][];
  const sets = entries.map(([name]) => `${name} = ?`).join(", ");
  return tx.run(`UPDATE ${table} SET ${sets} WHERE id = ?`, ...entries.map(([, value]) => value), id);
}
