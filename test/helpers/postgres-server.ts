import { randomBytes } from "node:crypto";
import pg from "pg";

export interface Database {
  name: string;
  url: string;
}

/** A database that sorts by a language, as most do and SQLite does not. Copies of the template sort as SQLite, so that answers are the same. */
export const byLanguage = "LOCALE_PROVIDER icu ICU_LOCALE 'en-US'";

/** A new database on the server, empty or a copy of `template`, whose name its own begins with. `more`: further SQL. */
export async function createDatabase(server: string, template = "template0", more = ""): Promise<Database> {
  const name = `${template === "template0" ? "playtest" : template}_${randomBytes(8).toString("hex")}`;
  await sql(server, `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY ${more}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { name, url: url.href };
}

export const dropDatabase = (server: string, name: string) => sql(server, `DROP DATABASE ${name} WITH (FORCE)`);

/** Drops a database, and those that were copied from it and are left. */
export async function dropWithCopies(server: string, template: string): Promise<void> {
  const names = await sql<{ name: string }>(server, `SELECT datname AS name FROM pg_database WHERE datname LIKE '${template}%'`);
  for (const { name } of names) await dropDatabase(server, name);
}

/** Runs one statement on a connection of its own, outside of the store under test. */
export async function sql<T extends pg.QueryResultRow>(url: string, text: string): Promise<T[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<T>(text)).rows;
  } finally {
    await client.end();
  }
}
