import { inject } from "vitest";
import { createDatabase, type Database, dropDatabase } from "./postgres-server.ts";

export interface FreshDatabase extends Database {
  /** Past the wire that `url` leads over in tests of a restricted PostgreSQL. */
  unrestrictedUrl: string;
  drop(): Promise<unknown>;
}

/** A new database of this run's PostgreSQL: migrated, or empty. */
export async function freshDatabase({ empty = false } = {}): Promise<FreshDatabase> {
  const server = inject("postgresUrl");
  const database = await createDatabase(server, empty ? undefined : inject("postgresTemplate"));
  const { name, url } = database;
  const used = inject("restricted") ? overPort(url, inject("restrictedPort")) : url;
  return { name, url: used, unrestrictedUrl: url, drop: () => dropDatabase(server, name) };
}

function overPort(databaseUrl: string, port: number): string {
  const url = new URL(databaseUrl);
  url.port = String(port);
  return url.href;
}
