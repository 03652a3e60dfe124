import { dataFile } from "./open.ts";
import type { Dialect, Query } from "./port.ts";
import { openSnapshotClient } from "./postgres/postgres.ts";
import { openSqlite } from "./sqlite/sqlite.ts";

/** A database as it is at one moment, whatever a server does to it meanwhile. */
export interface Snapshot {
  readonly dialect: Dialect;
  readonly query: Query;
  close(): Promise<void>;
}

/** Opens a database to be read only; a server may be running on it. */
export async function openSnapshot({
  databaseUrl,
  dataDir,
}: {
  databaseUrl: string | undefined;
  dataDir: string;
}): Promise<Snapshot> {
  if (databaseUrl !== undefined) return openSnapshotClient(databaseUrl);
  const store = await openSqlite(dataFile(dataDir), { readOnly: true });
  const query = await store.read(async (q) => q);
  await query.run("BEGIN");
  return { dialect: store.dialect, query, close: () => store.close() };
}
