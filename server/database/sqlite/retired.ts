import type { Database } from "better-sqlite3";

const mark = "retired: ";

/**
 * Makes the database refuse every change of a row, so that a server that still runs on it cannot acknowledge a change that is lost.
 * `reason` is the message of the refusals.
 */
export function retire(database: Database, reason: string): void {
  const tables = database
    // A virtual table takes no triggers. It is written together with rows of others, which refuse.
    .prepare("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'")
    .pluck()
    .all();
  const text = `${mark}${reason}`.replaceAll("'", "''");
  for (const table of tables)
    for (const change of ["INSERT", "UPDATE", "DELETE"])
      database.exec(
        `CREATE TRIGGER retired_${table}_${change.toLowerCase()} BEFORE ${change} ON ${table} BEGIN SELECT RAISE(ABORT, '${text}'); END`,
      );
}

/** The reason, if the database refused a change because it is retired. */
export function retiredReason(error: unknown): string | undefined {
  const text = error instanceof Error ? error.message : "";
  return text.startsWith(mark) ? text.slice(mark.length) : undefined;
}
