import type { Dialect } from "../port.ts";
import { sqliteFullText } from "./full-text.ts";

export const sqliteDialect: Dialect = {
  variant: "sqlite",
  words: { int: "INTEGER", blob: "BLOB", strict: "STRICT" },
  table: "SELECT name FROM sqlite_master WHERE type = 'table' AND name = ?",
  columns: "SELECT name, pk FROM pragma_table_info(?) ORDER BY cid",
  fullText: sqliteFullText,
};
