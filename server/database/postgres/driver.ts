import type { Driver } from "../driver.ts";
import { fillPostgres } from "./fill.ts";
import { openPostgres, openSnapshotClient } from "./postgres.ts";

/** PostgreSQL, for any number of server processes. */
export const postgresDriver: Driver = {
  name: "postgres",
  schemes: ["postgres://", "postgresql://"],
  describe: ({ databaseUrl }) => `PostgreSQL ${withoutPassword(databaseUrl!)}`,
  open: ({ databaseUrl }, { patient = false, log, readUrl } = {}) =>
    openPostgres(databaseUrl!, { log, readUrl, ...(patient && { silenceMs: 0 }) }),
  inspect: ({ databaseUrl }, { readUrl } = {}) => openPostgres(databaseUrl!, { silenceMs: 0, readUrl }),
  snapshot: ({ databaseUrl }) => openSnapshotClient(databaseUrl!),
  fill: ({ databaseUrl }, work) => fillPostgres(databaseUrl!, work),
};

/** A URL with its password replaced. A URL that cannot be parsed is hidden completely. */
function withoutPassword(text: string): string {
  if (!URL.canParse(text)) return "postgres://***";
  const url = new URL(text);
  if (url.password !== "") url.password = "***";
  for (const name of [...url.searchParams.keys()]) if (/pass/i.test(name)) url.searchParams.set(name, "***");
  return url.href;
}
