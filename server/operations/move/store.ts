import { createHash } from "node:crypto";
import type { Query, Value } from "../../database/port.ts";
import type { Table } from "../../database/tables.ts";
import { insertBatch, lineOf, mostValues, pagesOf, type Row } from "../archive/rows.ts";

const pageRows = 1000;

/** Inserts every row of a table of `from` into the empty table of `to`. Calls `wrote` after each page. */
export async function copyRows(from: Query, to: Query, table: Table, wrote: (rows: number) => void): Promise<void> {
  for await (const rows of pagesOf(from, table, pageRows)) {
    await insertRows(to, table, rows);
    wrote(rows.length);
  }
}

export async function insertRows(tx: Query, table: Table, rows: readonly Row[]): Promise<void> {
  const size = Math.max(1, Math.floor(mostValues / table.columns.length));
  for (let at = 0; at < rows.length; at += size) {
    const values = rows.slice(at, at + size).map((row) => table.columns.map((name) => row[name] ?? null));
    await insertBatch(tx, { table, rows: values });
  }
}

/** What happened to the rows of a table between two moments. A row that changed is in both lists. */
export interface Difference {
  gone: Row[];
  come: Row[];
  /** The number of rows at the later moment. */
  rows: number;
}

/** Compares a table at two moments of the same database. Keeps only the rows that differ in memory. */
export async function differenceOf(older: Query, newer: Query, table: Table): Promise<Difference> {
  const gone = new Map<string, Row>();
  const come = new Map<string, Row>();
  let rows = 0;
  const [before, after] = [pagesOf(older, table, pageRows), pagesOf(newer, table, pageRows)];
  for (;;) {
    const [old, next] = [(await before.next()).value ?? [], (await after.next()).value ?? []];
    if (old.length === 0 && next.length === 0) return { gone: [...gone.values()], come: [...come.values()], rows };
    rows += next.length;
    if (areEqual(table, old, next)) continue;
    for (const row of next) cancel(lineOf(table, row), row, gone, come);
    for (const row of old) cancel(lineOf(table, row), row, come, gone);
  }
}

/** Whether two pages are the same. Of most tables, most pages are, and this is faster than to write each row as a line. */
const areEqual = ({ columns }: Table, a: readonly Row[], b: readonly Row[]) =>
  a.length === b.length && a.every((row, at) => columns.every((name) => row[name] === b[at]![name]));

/** Removes a line from one list, or adds it to the other. */
function cancel(line: string, row: Row, from: Map<string, Row>, to: Map<string, Row>): void {
  if (!from.delete(line)) to.set(line, row);
}

/** Removes rows by their keys. A row that changed is removed and inserted again, so that no order of changes violates a unique index. */
export async function removeRows(tx: Query, table: Table, rows: readonly Row[]): Promise<void> {
  for (const { condition, values } of keysOf(table, rows))
    await tx.run(`DELETE FROM ${table.name} WHERE ${condition}`, ...values);
}

/** The rows that now have the keys of these rows, each once. */
export async function sameRows(q: Query, table: Table, ...lists: (readonly Row[])[]): Promise<Row[]> {
  const byKey = new Map(lists.flat().map((row) => [JSON.stringify(table.key.map((column) => row[column])), row]));
  const found: Row[] = [];
  for (const { condition, values } of keysOf(table, [...byKey.values()]))
    found.push(...(await q.all<Row>(`SELECT * FROM ${table.name} WHERE ${condition}`, ...values)));
  return found;
}

function* keysOf({ key }: Table, rows: readonly Row[]): Generator<{ condition: string; values: Value[] }> {
  const size = Math.max(1, Math.floor(mostValues / key.length));
  const tuple = `(${key.map(() => "?").join(", ")})`;
  for (let at = 0; at < rows.length; at += size) {
    const page = rows.slice(at, at + size);
    yield {
      condition: `(${key.join(", ")}) IN (${page.map(() => tuple).join(", ")})`,
      values: page.flatMap((row) => key.map((column) => row[column]!)),
    };
  }
}

export const countRows = async (q: Query, { name }: Pick<Table, "name">): Promise<number> =>
  (await q.one<{ count: number }>(`SELECT COUNT(*) AS count FROM ${name}`))!.count;

/** The number of rows of a table, and the sum of their hashes: it differs if any of their values does, and not by their order. */
export interface Digest {
  rows: number;
  sum: bigint;
}

export async function digestOf(q: Query, table: Table): Promise<Digest> {
  const digest = { rows: 0, sum: 0n };
  for await (const page of pagesOf(q, table, pageRows))
    for (const row of page) {
      digest.rows++;
      digest.sum += BigInt(`0x${createHash("sha256").update(lineOf(table, row)).digest("hex")}`);
    }
  return digest;
}
