import { inject } from "vitest";
import { byLanguage, createDatabase, type Database, dropDatabase } from "./postgres-server.ts";

export interface FreshDatabase extends Database {
  /** Past the wire that `url` leads over in tests of a restricted PostgreSQL. */
  unrestrictedUrl: string;
  drop(): Promise<unknown>;
}

/** A new database of this run's PostgreSQL: migrated, or empty; empty ones may sort by a language. */
export async function freshDatabase({ empty = false, sorted = false } = {}): Promise<FreshDatabase> {
  const server = inject("postgresUrl");
  const database = await createDatabase(server, empty ? undefined : inject("postgresTemplate"), sorted ? byLanguage : "");
  const { name, url } = database;
  const used = inject("restricted") ? overPort(url, inject("restrictedPort")) : url;
  return { name, url: used, unrestrictedUrl: url, drop: () => dropDatabase(server, name) };
}

function overPort(databaseUrl: string, port: number): string {
  const url = new URL(databaseUrl);
  url.port = String(port);
  return url.href;
}
