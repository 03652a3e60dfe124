import type { Dialect } from "../port.ts";
import { postgresFullText } from "./full-text.ts";

export const postgresDialect: Dialect = {
  variant: "postgres",
  time: "CAST(FLOOR(EXTRACT(EPOCH FROM clock_timestamp()) * 1000) AS BIGINT)",
  words: { int: "BIGINT", blob: "BYTEA", strict: "" },
  table: "SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema() AND tablename = ?",
  columns: `SELECT c.column_name AS name, COALESCE(k.ordinal_position, 0) AS pk FROM information_schema.columns c
    LEFT JOIN (information_schema.table_constraints p JOIN information_schema.key_column_usage k
      ON k.constraint_name = p.constraint_name AND k.table_schema = p.table_schema AND k.table_name = p.table_name)
    ON p.constraint_type = 'PRIMARY KEY' AND p.table_schema = c.table_schema AND p.table_name = c.table_name AND k.column_name = c.column_name
    WHERE c.table_schema = current_schema() AND c.table_name = ? ORDER BY c.ordinal_position`,
  fullText: postgresFullText,
};
