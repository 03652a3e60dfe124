import { closeSync, openSync, readSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import type { Query, Value } from "../../database/port.ts";
import type { Table } from "../../database/tables.ts";

/**
 * The rows of a database of any kind as lines of JSON: `{"table","columns"}`, then an array of values for each row. Bytes are written as
 * `{"base64"}`. Integers are exact, because the store refuses those beyond ±2^53.
 */
const pageRows = 100;
const longestLine = 256 * 1024 * 1024;
/** How much is inserted at once: both databases accept this many values in one statement, and this much text is written quickly. */
export const mostValues = 5000;
const mostText = 1024 * 1024;

/** Writes every row of these tables in the order of their keys. Calls `wrote` after each page. */
export async function dumpRows(
  q: Query,
  tables: readonly Table[],
  file: FileHandle,
  wrote: (rows: number) => void,
): Promise<void> {
  for (const table of tables) {
    await file.writeFile(`${JSON.stringify({ table: table.name, columns: table.columns })}\n`);
    for await (const rows of pagesOf(q, table)) {
      await file.writeFile(rows.map((row) => `${lineOf(table, row)}\n`).join(""));
      wrote(rows.length);
    }
  }
}

export type Row = Record<string, Value>;

/** The rows of a table in the order of their keys, some at a time. */
export async function* pagesOf(q: Query, { name, key }: Table, size = pageRows): AsyncGenerator<Row[]> {
  const order = key.join(", ");
  const behind = `WHERE (${order}) > (${key.map(() => "?").join(", ")})`;
  for (let last: Row | undefined; ; ) {
    const from: Value[] = last ? key.map((column) => last![column]!) : [];
    const rows = await q.all<Row>(`SELECT * FROM ${name} ${last ? behind : ""} ORDER BY ${order} LIMIT ${size}`, ...from);
    if (rows.length > 0) yield rows;
    if (rows.length < size) return;
    last = rows.at(-1);
  }
}

/** All values of a row in one line, the same from each kind of database. */
export const lineOf = ({ columns }: Table, row: Row) => JSON.stringify(columns.map((name) => encode(row[name] ?? null)));

const encode = (value: Value) => (value instanceof Uint8Array ? { base64: Buffer.from(value).toString("base64") } : value);

function decode(value: unknown): Value {
  if (value === null || typeof value === "string" || typeof value === "number") return value;
  const { base64 } = value as { base64?: unknown };
  if (typeof base64 === "string") return Buffer.from(base64, "base64");
  throw new Error("rows.ndjson has a value that no database column can hold");
}

/** Rows to insert together. */
export interface Batch {
  table: Table;
  rows: Value[][];
}

export async function insertBatch(tx: Query, { table, rows }: Batch): Promise<void> {
  const tuple = `(${table.columns.map(() => "?").join(", ")})`;
  await tx.run(
    `INSERT INTO ${table.name} (${table.columns.join(", ")}) VALUES ${rows.map(() => tuple).join(", ")}`,
    ...rows.flat(),
  );
}

/**
 * Reads what `dumpRows` wrote, for a database with exactly these tables. It is synchronous, so that it can be used within a
 * transaction. Table and column names come from the database, never from the file.
 */
export function* readBatches(path: string, tables: readonly Table[]): Generator<Batch> {
  let batch: Batch | undefined;
  let text = 0;
  for (const line of linesOf(path)) {
    const value = parse(line);
    if (!Array.isArray(value)) {
      if (batch && batch.rows.length > 0) yield batch;
      batch = { table: known(value, tables), rows: [] };
      continue;
    }
    text += line.length;
    if (batch === undefined || value.length !== batch.table.columns.length)
      throw new Error("rows.ndjson has a row that does not match its table");
    batch.rows.push(value.map(decode));
    if (text < mostText && (batch.rows.length + 1) * value.length <= mostValues) continue;
    yield batch;
    text = 0;
    batch = { table: batch.table, rows: [] };
  }
  if (batch && batch.rows.length > 0) yield batch;
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw new Error("rows.ndjson has a line that is not JSON", { cause: error });
  }
}

function known(value: unknown, tables: readonly Table[]): Table {
  const { table: name, columns } = (value ?? {}) as { table?: unknown; columns?: unknown };
  const table = tables.find((one) => one.name === name);
  if (table && JSON.stringify(table.columns) === JSON.stringify(columns)) return table;
  throw new Error(`rows.ndjson has a table ${JSON.stringify(name)} that its migrations do not create in this form`);
}

function* linesOf(path: string): Generator<string> {
  const file = openSync(path, "r");
  const chunk = Buffer.alloc(1024 * 1024);
  let parts: Buffer[] = [];
  let length = 0;
  try {
    for (let size = readSync(file, chunk); size > 0; size = readSync(file, chunk)) {
      let from = 0;
      for (let end = chunk.indexOf(10); end >= 0 && end < size; end = chunk.indexOf(10, from)) {
        yield Buffer.concat([...parts, chunk.subarray(from, end)]).toString();
        parts = [];
        length = 0;
        from = end + 1;
      }
      parts.push(Buffer.from(chunk.subarray(from, size)));
      length += size - from;
      if (length > longestLine) throw new Error("rows.ndjson has a line that is too long");
    }
    if (length > 0) throw new Error("rows.ndjson ends in the middle of a line");
  } finally {
    closeSync(file);
  }
}
