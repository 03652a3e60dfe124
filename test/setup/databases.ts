import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { openStore } from "../../server/database/open.ts";
import { createDatabase, dropWithCopies } from "../helpers/postgres-server.ts";
import { startRestricted } from "../helpers/restricted.ts";
import { startPostgres } from "./postgres.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** A superuser's URL of the PostgreSQL server of this run. */
    postgresUrl: string;
    /** The migrated database that fresh ones are copied from. */
    postgresTemplate: string;
    /** A folder with a migrated SQLite database that fresh ones are copied from. */
    sqliteTemplate: string;
    /** False when PLAYTEST_TEST_DATABASES=sqlite: then no PostgreSQL runs, and tests that need one fail. */
    withPostgres: boolean;
    /** Whether databases are used over a wire that restricts PostgreSQL to what others speak of its protocol. */
    restricted: boolean;
    /** The port of this wire. */
    restrictedPort: number;
  }
}

/**
 * Starts one real PostgreSQL for the whole run, whichever projects it has, and prepares a migrated database of each kind. When
 * PostgreSQL does not start, the run fails: nothing is skipped.
 */
export default async function setup({ vitest }: TestProject): Promise<(() => Promise<void>) | undefined> {
  // Called once per project, one after the other.
  if ("sqliteTemplate" in vitest.getProvidedContext()) return undefined;
  const sqliteTemplate = join(vitest.getProvidedContext().scratch, "template");
  await migrate({ dataDir: sqliteTemplate });
  vitest.provide("sqliteTemplate", sqliteTemplate);
  const withPostgres = process.env.PLAYTEST_TEST_DATABASES !== "sqlite";
  vitest.provide("withPostgres", withPostgres);
  if (!withPostgres) return undefined;
  const external = process.env.PLAYTEST_TEST_POSTGRES_URL;
  const server = external ? { url: external, stop: async () => {} } : await startPostgres();
  const template = await createDatabase(server.url);
  await migrate({ databaseUrl: template.url });
  vitest.provide("postgresUrl", server.url);
  vitest.provide("postgresTemplate", template.name);
  const restricted = await startRestricted(server.url, {
    seed: Number(process.env.PLAYTEST_SEED ?? 5),
    conflicts: 0.05,
    delayMs: Number(process.env.PLAYTEST_RESTRICTED_DELAY_MS ?? 100),
  });
  vitest.provide("restrictedPort", Number(new URL(restricted.url).port));
  return async () => {
    await restricted.close();
    await dropWithCopies(server.url, template.name);
    await server.stop();
  };
}

async function migrate(options: { databaseUrl?: string; dataDir?: string }): Promise<void> {
  const store = await openStore(options);
  await store.close();
}
