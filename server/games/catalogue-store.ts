import { type Migration, migrations } from "../database/migrate.ts";
import type { Query, Store } from "../database/port.ts";

/** A table as the database has it. */
export interface Table {
  name: string;
  columns: readonly string[];
  /** The columns of its primary key. */
  key: readonly string[];
}

const COLUMNS = {
  sqlite: "SELECT name, pk FROM pragma_table_info(?) ORDER BY cid",
  postgres: `SELECT c.column_name AS name, COALESCE(k.ordinal_position, 0) AS pk FROM information_schema.columns c
    LEFT JOIN (information_schema.table_constraints p JOIN information_schema.key_column_usage k
      ON k.constraint_name = p.constraint_name AND k.table_schema = p.table_schema AND k.table_name = p.table_name)
    ON p.constraint_type = 'PRIMARY KEY' AND p.table_schema = c.table_schema AND p.table_name = c.table_name AND k.column_name = c.column_name
    WHERE c.table_schema = current_schema() AND c.table_name = ? ORDER BY c.ordinal_position`,
};

/** Every table these migrations made, each behind those it refers to. */
export async function tablesOf(q: Query, dialect: Store["dialect"], list: readonly Migration[] = migrations): Promise<Table[]> {
  const tables: Table[] = [];
  for (const name of tableNames(list)) {
    const columns = await q.all<{ name: string; pk: number }>(COLUMNS[dialect], name);
    const key = columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
    tables.push({ name, columns: columns.map((column) => column.name), key: key.map((column) => column.name) });
  }
  return tables;
}

/** The first of these tables that holds a row; one that is not there yet has no columns. */
export async function firstUsed(q: Query, tables: readonly Table[]): Promise<string | undefined> {
  for (const { name, columns } of tables)
    if (columns.length > 0 && (await q.one(`SELECT 1 AS used FROM ${name} LIMIT 1`)) !== undefined) return name;
  return undefined;
}

const tableNames = (list: readonly Migration[]) =>
  list.flatMap(({ statements }) =>
    statements.flatMap((statement) => /^\s*CREATE TABLE (\w+)/.exec(typeof statement === "string" ? statement : "")?.[1] ?? []),
  );
