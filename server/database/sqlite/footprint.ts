import type { Database } from "better-sqlite3";
import type { Value } from "../port.ts";

/** The tables that a statement reads or writes, also through foreign keys and triggers. Undefined if that is not certain. */
export interface Footprint {
  read: readonly string[] | undefined;
  written: readonly string[] | undefined;
}

/** A row of EXPLAIN, up to the columns that matter here: the address, the opcode, and its first three parameters. */
type Step = [address: number, opcode: string, p1: number, p2: number, p3: number];

interface Pages {
  schemaVersion: unknown;
  /** The table of each root page, be it that of the table or of one of its indexes. */
  tables: ReadonlyMap<number, string>;
}

const known = new WeakMap<Database, Pages>();

function tablesByPage(database: Database): ReadonlyMap<number, string> {
  const schemaVersion = database.pragma("schema_version", { simple: true });
  const seen = known.get(database);
  if (seen && seen.schemaVersion === schemaVersion) return seen.tables;
  const rows = database.prepare("SELECT rootpage, tbl_name FROM sqlite_master").all() as { rootpage: number; tbl_name: string }[];
  const tables = new Map(rows.map(({ rootpage, tbl_name }) => [rootpage, tbl_name]));
  known.set(database, { schemaVersion, tables });
  return tables;
}

/** What SQLite's program for the statement opens. Virtual tables, such as the search index, open others that are not listed. */
export function footprintOf(database: Database, sql: string, values: readonly Value[]): Footprint {
  // As arrays, because making objects of some sixty rows takes as long as all the rest.
  const steps = database
    .prepare(`EXPLAIN ${sql}`)
    .raw()
    .all(...values) as Step[];
  const names = tablesByPage(database);
  const virtual = steps.some(([, opcode]) => opcode === "VOpen" || opcode === "VUpdate");
  const read = new Set<number>();
  const written = new Set<number>();
  // The third parameter of both is the number of the database: 0 is the file, others are temporary.
  for (const [, opcode, p1, p2, p3] of steps) {
    if (opcode === "OpenRead" && p3 === 0) read.add(p2);
    if (opcode === "OpenWrite" && p3 === 0) written.add(p2);
    if (opcode === "Clear" && p2 === 0) written.add(p1);
  }
  const tables = (pages: ReadonlySet<number>) =>
    pages.size === 0 || virtual || [...pages].some((page) => !names.has(page))
      ? undefined
      : [...new Set([...pages].map((page) => names.get(page)!))];
  return { read: tables(new Set([...read, ...written])), written: tables(written) };
}
