import { sql } from "./postgres-server.ts";

const parts = {
  columns: `SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod) AS type, a.attnotnull, pg_get_expr(d.adbin, d.adrelid) AS value
    FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
    WHERE a.attnum > 0 AND NOT a.attisdropped AND c.relkind = 'r'`,
  constraints: `SELECT c.relname, k.conname, k.convalidated, pg_get_constraintdef(k.oid) AS text
    FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid WHERE TRUE`,
  indexes: `SELECT c.relname, i.indisvalid, pg_get_indexdef(i.indexrelid) AS text
    FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid WHERE TRUE`,
  privileges: `SELECT c.relname, g.privilege_type FROM pg_class c, aclexplode(COALESCE(c.relacl, acldefault('r', c.relowner))) g
    WHERE c.relkind = 'r' AND g.grantee = c.relowner`,
};

/** The tables of a database with all that belongs to them, one line each, without the notes of migrations step by step. */
export async function schemaOf(url: string): Promise<string[]> {
  const lines = [];
  for (const [part, query] of Object.entries(parts)) {
    const rows = await sql(url, `${query} AND c.relnamespace = 'public'::regnamespace AND c.relname <> 'migration_progress'`);
    lines.push(...rows.map((row) => `${part} ${Object.values(row).join(" | ")}`).sort());
  }
  return lines;
}
