import { createHash } from "node:crypto";
import { initial } from "./migrations/001-initial.ts";
import { enumerations } from "./migrations/002-enumerations.ts";
import type { Dialect, Query, Store } from "./port.ts";

export interface Migration {
  name: string;
  /** One each; `{int}`, `{blob}` and `{strict}` stand for what differs between the databases. */
  statements: readonly Statement[];
}

/** SQL for both databases, or for each, or a column that is enumerated from here on. */
export type Statement = string | Record<Dialect["variant"], string> | Enumerated;

/**
 * A column that holds one of these values, or null where it may: a `CHECK` named `<table>_<column>_check`. A later migration that changes
 * the values drops that constraint first (`ALTER TABLE … DROP CONSTRAINT …`, on both databases).
 */
export interface Enumerated {
  table: string;
  column: string;
  values: readonly string[];
}

/** Append only: a migration that was released never changes. */
export const migrations: readonly Migration[] = [initial, enumerations];

export interface Applied {
  position: number;
  name: string;
  checksum: string;
}

const TABLE =
  "CREATE TABLE IF NOT EXISTS schema_migrations (position {int} PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL) {strict}";

/**
 * Brings the database up to date, one transaction per migration, so an interrupted run goes on where it stopped. Throws
 * when the database is newer than this program or its history differs. Any number of processes may do this at once.
 */
export async function migrate(store: Store, list: readonly Migration[] = migrations): Promise<void> {
  if ((await pending(store, list)).length === 0) return;
  await createTable(store);
  for (const position of list.keys()) await store.write((tx) => apply(tx, store.dialect, list, position));
}

/** The migrations still to run. Throws as `migrate` does. */
export async function pending(store: Store, list: readonly Migration[] = migrations): Promise<readonly Migration[]> {
  const history = await store.read(async (q) => ((await hasTable(q, store.dialect)) ? applied(q) : []));
  assertSameHistory(history, list);
  return list.slice(history.length);
}

const hasTable = async (q: Query, dialect: Dialect) => (await q.one(dialect.table, "schema_migrations")) !== undefined;

/** The migrations this database had, in order. */
export const applied = (q: Query) => q.all<Applied>("SELECT position, name, checksum FROM schema_migrations ORDER BY position");

/** PostgreSQL answers two `IF NOT EXISTS` at the same moment with one of several errors of its catalogue: then the table is there. */
async function createTable(store: Store): Promise<void> {
  try {
    await store.write((tx) => tx.run(fill(TABLE, store.dialect)));
  } catch (error) {
    if (!(await store.read((q) => hasTable(q, store.dialect)))) throw error;
  }
}

async function apply(tx: Query, dialect: Dialect, list: readonly Migration[], position: number): Promise<void> {
  const migration = list[position]!;
  // Recorded first: a second process waits for this row, then sees that the work is done.
  const added = await tx.run(
    "INSERT INTO schema_migrations (position, name, checksum) VALUES (?, ?, ?) ON CONFLICT (position) DO NOTHING",
    position,
    migration.name,
    checksumOf(migration),
  );
  assertSameHistory(await applied(tx), list);
  if (added === 0) return;
  for (const statement of migration.statements) {
    if (typeof statement === "string") await tx.run(fill(statement, dialect));
    else if ("column" in statement) await enumerate(tx, migration, statement);
    else await tx.run(fill(statement[dialect.variant], dialect));
  }
}

/** Adds the constraint of an enumerated column. Throws, and says which, when a row holds another value. */
async function enumerate(tx: Query, { name }: Migration, { table, column, values }: Enumerated): Promise<void> {
  const list = values.map((value) => `'${value}'`).join(", ");
  const odd = await tx.one<{ value: string; count: number }>(
    `SELECT ${column} AS value, COUNT(*) AS count FROM ${table} WHERE ${column} NOT IN (${list}) GROUP BY ${column} LIMIT 1`,
  );
  if (odd) {
    throw new Error(
      `Migration ${name} cannot be applied: ${odd.count} row(s) of ${table} have ${column} ${JSON.stringify(odd.value)}, which is not one of ` +
        `${values.join(", ")}. Nothing was changed. Correct these rows or restore a backup, then try again.`,
    );
  }
  // SQLite would refuse the rows without a value that the shorter condition lets pass.
  const condition = `${column} IS NULL OR ${column} IN (${list})`;
  await tx.run(`ALTER TABLE ${table} ADD CONSTRAINT ${table}_${column}_check CHECK (${condition})`);
}

/** Throws when this is not how the list begins: the database is newer than this program, or another's. */
export function assertSameHistory(history: readonly Applied[], list: readonly Migration[] = migrations): void {
  for (const { position, name, checksum } of history) {
    const ours = list[position];
    if (!ours) {
      throw new Error(
        `The database is newer than this program: it has migration ${name}. Nothing was changed. Install a newer playtest.`,
      );
    }
    if (ours.name === name && checksumOf(ours) === checksum) continue;
    throw new Error(
      `Migration ${name} of the database differs from ${ours.name} of this program. Nothing was changed. ` +
        "Use the playtest version that made this database, or restore a backup.",
    );
  }
}

const fill = (sql: string, { words }: Dialect) =>
  sql.replace(/\{(int|blob|strict)\}/g, (_, word: keyof Dialect["words"]) => words[word]);

const checksumOf = ({ statements }: Migration) => {
  const texts = statements.map((statement) => (typeof statement === "string" ? statement : JSON.stringify(statement)));
  return createHash("sha256").update(texts.join(";\n")).digest("hex");
};
