import { type Migration, migrations } from "./migrate.ts";
import type { Dialect, Query } from "./port.ts";

/** A table of the database. */
export interface Table {
  name: string;
  columns: readonly string[];
  /** The columns of its primary key. */
  key: readonly string[];
}

/** Every table created by these migrations. Each comes after the tables it refers to. */
export async function tablesOf(q: Query, dialect: Dialect, list: readonly Migration[] = migrations): Promise<Table[]> {
  const tables: Table[] = [];
  for (const name of tableNames(list)) {
    const columns = await q.all<{ name: string; pk: number }>(dialect.columns, name);
    const key = columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
    tables.push({ name, columns: columns.map((column) => column.name), key: key.map((column) => column.name) });
  }
  return tables;
}

/** The first of these tables that has a row. Tables that do not exist yet have no columns and are skipped. */
export async function firstUsed(q: Query, tables: readonly Table[]): Promise<string | undefined> {
  for (const { name, columns } of tables)
    if (columns.length > 0 && (await q.one(`SELECT 1 AS used FROM ${name} LIMIT 1`)) !== undefined) return name;
  return undefined;
}

function tableNames(list: readonly Migration[]): string[] {
  const names = new Set<string>();
  for (const statement of list.flatMap(({ statements }) => statements)) {
    const [, does, name] = /^\s*(CREATE|DROP) TABLE (\w+)/.exec(typeof statement === "string" ? statement : "") ?? [];
    if (does === "CREATE") names.add(name!);
    if (does === "DROP") names.delete(name!);
  }
  return [...names];
}
