import type { Query, Value } from "../../database/port.ts";
import { addRow, deleteWhere, findRow, putRow } from "../../database/rows.ts";

/**
 * Settings of a database: the mode, the fingerprint of the instance key, the state and keys of a rotation, where its data was moved
 * to or is being moved from.
 */
export type Name = "mode" | "instance_key" | "next_key" | "previous_key" | "rotation" | "moved_to" | "moving_from";

export const get = async (q: Query, name: Name): Promise<string | undefined> => (await findRow(q, "settings", { name }))?.value;

export const set = (tx: Query, name: Name, value: string) => putRow(tx, "settings", { name, value }, "name");

/** Sets a setting unless it is set. If several processes start at the same time, the first one wins. */
export const setIfAbsent = (tx: Query, name: Name, value: string) => addRow(tx, "settings", { name, value });

export const remove = (tx: Query, name: Name) => deleteWhere(tx, "settings", { name });

/** Writes to the database and changes nothing. */
export const touch = (tx: Query) => tx.run("UPDATE settings SET value = value WHERE name = 'mode'");

/** Whether a sandbox used this database before the mode was stored: only a sandbox moves its clock or simulates playtesters. */
export const wasSandbox = async (q: Query): Promise<boolean> =>
  (await q.one("SELECT 1 AS found FROM settings WHERE name IN ('clock_offset_ms', 'clock_booked_ms') LIMIT 1")) !== undefined ||
  (await q.one("SELECT 1 AS found FROM users WHERE simulated = 1 LIMIT 1")) !== undefined;

export type Row = Record<string, Value>;

/** A column whose values are sealed with the instance key. */
export interface SealedColumn {
  table: string;
  /** The columns of the table's primary key. */
  key: readonly string[];
  column: string;
  /** True for a column of bytes, in which only some values are sealed. Otherwise text that is always sealed. */
  bytes?: boolean;
  /** The context string that the value was sealed with, in addition to the key. */
  context(row: Row): string;
}

/** Up to `limit` rows after `last`, ordered by primary key. */
export function sealedRows(q: Query, { table, key, column }: SealedColumn, last: Row | undefined, limit: number): Promise<Row[]> {
  const order = key.join(", ");
  const behind = last ? `AND (${order}) > (${key.map(() => "?").join(", ")})` : "";
  return q.all<Row>(
    `SELECT ${order}, ${column} FROM ${table} WHERE ${column} IS NOT NULL ${behind} ORDER BY ${order} LIMIT ${limit}`,
    ...(last ? key.map((name) => last[name]!) : []),
  );
}

/** Replaces a sealed value, unless it was changed in the meantime. Returns the number of rows changed: 0 or 1. */
export const replaceSealed = (tx: Query, { table, key, column }: SealedColumn, row: Row, value: Value): Promise<number> =>
  tx.run(
    `UPDATE ${table} SET ${column} = ? WHERE ${[...key, column].map((name) => `${name} = ?`).join(" AND ")}`,
    value,
    ...[...key, column].map((name) => row[name]!),
  );
