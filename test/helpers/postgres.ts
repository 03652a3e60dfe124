import { inject } from "vitest";
import { createDatabase, type Database, dropDatabase } from "./postgres-server.ts";

export type FreshDatabase = Database & { drop(): Promise<unknown> };

/** A new database of this run's PostgreSQL: migrated, or empty. */
export async function freshDatabase({ empty = false } = {}): Promise<FreshDatabase> {
  const server = inject("postgresUrl");
  const database = await createDatabase(server, empty ? undefined : inject("postgresTemplate"));
  return { ...database, drop: () => dropDatabase(server, database.name) };
}
