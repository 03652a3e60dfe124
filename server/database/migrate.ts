import { createHash } from "node:crypto";
import { initial } from "./migrations/001-initial.ts";
import { enumerations } from "./migrations/002-enumerations.ts";
import { uploadsByUser } from "./migrations/003-uploads-by-user.ts";
import { accounts } from "./migrations/004-accounts.ts";
import { audit } from "./migrations/005-audit.ts";
import { depositProofs } from "./migrations/006-deposit-proofs.ts";
import { adminScopes } from "./migrations/007-admin-scopes.ts";
import { problemReports } from "./migrations/008-problem-reports.ts";
import { retiredKeys } from "./migrations/009-retired-keys.ts";
import { notificationSettings } from "./migrations/010-notifications.ts";
import { secondFactors } from "./migrations/011-second-factors.ts";
import { disputes } from "./migrations/012-disputes.ts";
import { videoLengths } from "./migrations/013-video-lengths.ts";
import { testerGroups } from "./migrations/014-tester-groups.ts";
import { agreements } from "./migrations/015-agreements.ts";
import { payoutDetails } from "./migrations/016-payout-details.ts";
import { covers } from "./migrations/017-covers.ts";
import { invitations } from "./migrations/018-invitations.ts";
import { payoutBatches } from "./migrations/019-payout-batches.ts";
import { passkeys } from "./migrations/020-passkeys.ts";
import { moments } from "./migrations/021-moments.ts";
import { shares } from "./migrations/022-shares.ts";
import { search } from "./migrations/023-search.ts";
import { languages } from "./migrations/024-languages.ts";
import { clips } from "./migrations/025-clips.ts";
import { slotsByEnd } from "./migrations/026-slots-by-end.ts";
import { fewerIndexes } from "./migrations/027-fewer-indexes.ts";
import { stills } from "./migrations/028-stills.ts";
import { wrongPasswords } from "./migrations/029-wrong-passwords.ts";
import { clipPosters } from "./migrations/030-clip-posters.ts";
import { requestCounts } from "./migrations/031-request-counts.ts";
import { orderRefs } from "./migrations/032-order-refs.ts";
import { invoicing } from "./migrations/033-invoices.ts";
import { videoFacts } from "./migrations/034-video-facts.ts";
import { cutting } from "./migrations/035-cutting.ts";
import { erasure } from "./migrations/036-erasure.ts";
import { uploadWriters } from "./migrations/037-upload-writers.ts";
import { mailOutcomes } from "./migrations/038-mail-outcomes.ts";
import { publications } from "./migrations/039-publications.ts";
import { publicationConsents } from "./migrations/040-publication-consents.ts";
import { budgets } from "./migrations/041-budgets.ts";
import { orderApprovals } from "./migrations/042-order-approvals.ts";
import { findings } from "./migrations/043-findings.ts";
import { signals } from "./migrations/044-signals.ts";
import { schedule } from "./migrations/045-schedule.ts";
import { peertube } from "./migrations/046-peertube.ts";
import { friends } from "./migrations/047-friends.ts";
import { trackers } from "./migrations/050-trackers.ts";
import { keyReviews } from "./migrations/051-key-reviews.ts";
import { signedPayments } from "./migrations/052-signed-payments.ts";
import { withdrawnConsents } from "./migrations/053-withdrawn-consents.ts";
import { connectedClients } from "./migrations/054-connected-clients.ts";
import { reels } from "./migrations/056-reels.ts";
import { usableRecordings } from "./migrations/057-usable-recordings.ts";
import { friendRequests } from "./migrations/058-friend-requests.ts";
import { storingBlobs } from "./migrations/061-storing-blobs.ts";
import { searchWords } from "./migrations/062-search-words.ts";
import { traces } from "./migrations/064-traces.ts";
import { audiences } from "./migrations/065-audiences.ts";
import { mailedDocuments } from "./migrations/066-mailed-documents.ts";
import { disputeAnswers } from "./migrations/067-dispute-answers.ts";
import { knownOffers } from "./migrations/068-known-offers.ts";
import { flaggedPayments } from "./migrations/069-flagged-payments.ts";
import { unnamedNotices } from "./migrations/070-unnamed-notices.ts";
import { strayBlobs } from "./migrations/071-stray-blobs.ts";
import { jobIds } from "./migrations/072-job-ids.ts";
import { slotBuilds } from "./migrations/073-slot-builds.ts";
import { replacedMembers } from "./migrations/074-replaced-members.ts";
import type { Dialect, Query, Store } from "./port.ts";
import { defineOrRepeat, type Migrating, migrateStepwise, type Step, type StepwiseOptions } from "./stepwise.ts";
import type { Enumerated } from "./types.ts";

export interface Migration {
  name: string;
  /** One SQL statement each. `{int}`, `{blob}` and `{strict}` are replaced with the words of the database. */
  statements: readonly Statement[];
}

/** SQL for both databases, SQL for each database, or a column that gets a fixed set of values. */
export type Statement = string | Record<Dialect["variant"], string> | Enumerated;

/** Append only: never change a released migration. */
export const migrations: readonly Migration[] = [
  initial,
  enumerations,
  uploadsByUser,
  accounts,
  audit,
  depositProofs,
  adminScopes,
  problemReports,
  retiredKeys,
  notificationSettings,
  secondFactors,
  disputes,
  videoLengths,
  testerGroups,
  agreements,
  payoutDetails,
  covers,
  invitations,
  payoutBatches,
  passkeys,
  moments,
  shares,
  search,
  languages,
  clips,
  slotsByEnd,
  fewerIndexes,
  stills,
  wrongPasswords,
  clipPosters,
  requestCounts,
  orderRefs,
  invoicing,
  videoFacts,
  cutting,
  erasure,
  uploadWriters,
  mailOutcomes,
  publications,
  publicationConsents,
  budgets,
  orderApprovals,
  findings,
  signals,
  schedule,
  peertube,
  friends,
  trackers,
  keyReviews,
  signedPayments,
  withdrawnConsents,
  connectedClients,
  reels,
  usableRecordings,
  friendRequests,
  storingBlobs,
  searchWords,
  audiences,
  mailedDocuments,
  traces,
  disputeAnswers,
  knownOffers,
  flaggedPayments,
  unnamedNotices,
  strayBlobs,
  jobIds,
  slotBuilds,
  replacedMembers,
];

export interface Applied {
  position: number;
  name: string;
  checksum: string;
}

const TABLE =
  "CREATE TABLE IF NOT EXISTS schema_migrations (position {int} PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL) {strict}";

/**
 * Applies the pending migrations in one transaction, so that the program before this one still works when one of them fails; where
 * definitions of tables cannot be parts of transactions, step by step. Throws when the database is newer than this program or its history differs. Several
 * processes may call this at the same time.
 */
export async function migrate(
  store: Store,
  list: readonly Migration[] = migrations,
  options: StepwiseOptions = {},
): Promise<void> {
  if ((await pending(store, list)).length === 0) return;
  const define = await store.separateDefinitions?.();
  if (define) {
    await defineOrRepeat(define, fill(TABLE, store.dialect));
    return migrateStepwise(store, define, () => pendingSteps(store, list), options);
  }
  await createTable(store);
  await store.write(async (tx) => {
    for (const position of list.keys()) await apply(tx, store.dialect, list, position);
  });
}

/** The pending migrations. Throws as `migrate` does. */
export async function pending(store: Store, list: readonly Migration[] = migrations): Promise<readonly Migration[]> {
  const history = await historyOf(store, list);
  return list.slice(history.length);
}

/** A database with data that is older than this program. */
export interface Behind {
  /** The name of the migration that was applied last. */
  last: string;
  pending: readonly Migration[];
}

/** Undefined for an empty database and for one that is up to date. Throws as `migrate` does. */
export async function behind(store: Store, list: readonly Migration[] = migrations): Promise<Behind | undefined> {
  const history = await historyOf(store, list);
  const last = history.at(-1)?.name;
  return last === undefined || history.length === list.length ? undefined : { last, pending: list.slice(history.length) };
}

async function historyOf(store: Store, list: readonly Migration[]): Promise<Applied[]> {
  const history = await store.read(async (q) => ((await hasTable(q, store.dialect)) ? applied(q) : []));
  assertSameHistory(history, list);
  return history;
}

/** Whether no migration was applied to this database yet. Throws as `migrate` does. */
export const isEmpty = async (store: Store): Promise<boolean> => (await historyOf(store, migrations)).length === 0;

const hasTable = async (q: Query, dialect: Dialect) => (await q.one(dialect.table, "schema_migrations")) !== undefined;

/** The migrations that were applied to this database, in order. */
export const applied = (q: Query) => q.all<Applied>("SELECT position, name, checksum FROM schema_migrations ORDER BY position");

/** Whether a migration such as `061-storing-blobs` was: the database may be that of an older program. */
export const isApplied = async (q: Query, migration: string) => (await applied(q)).some(({ name }) => name === migration);

/** When two processes run `IF NOT EXISTS` at the same time, PostgreSQL may fail one of them with a catalog error: then the table exists. */
async function createTable(store: Store): Promise<void> {
  try {
    await store.write((tx) => tx.run(fill(TABLE, store.dialect)));
  } catch (error) {
    if (!(await store.read((q) => hasTable(q, store.dialect)))) throw error;
  }
}

async function apply(tx: Query, dialect: Dialect, list: readonly Migration[], position: number): Promise<void> {
  const migration = list[position]!;
  // Recorded first: a second process waits for this row and then sees that the migration was applied.
  const added = await record(tx, migration, position);
  assertSameHistory(await applied(tx), list);
  if (added === 0) return;
  for (const statement of migration.statements) {
    if (isEnumerated(statement)) await assertKnownValues(tx, migration, statement, "Nothing was changed.");
    await tx.run(isEnumerated(statement) ? constraintOf(statement) : textOf(statement, dialect));
  }
}

const record = (tx: Query, migration: Migration, position: number) =>
  tx.run(
    "INSERT INTO schema_migrations (position, name, checksum) VALUES (?, ?, ?) ON CONFLICT (position) DO NOTHING",
    position,
    migration.name,
    checksumOf(migration),
  );

async function pendingSteps(store: Store, list: readonly Migration[]): Promise<Migrating[]> {
  const left = await pending(store, list);
  return left.map((migration, index) => {
    const position = list.length - left.length + index;
    const steps = migration.statements.map((statement) => stepOf(migration, statement, store.dialect));
    return { position, steps, record: (tx) => record(tx, migration, position) };
  });
}

function stepOf(migration: Migration, statement: Statement, dialect: Dialect): Step {
  if (isEnumerated(statement)) {
    const outcome = "Its statements before this one were run, and are not run again.";
    const check = (q: Query) => assertKnownValues(q, migration, statement, outcome);
    const { table, column } = statement;
    return {
      check,
      definitions: [`ALTER TABLE ${table} DROP CONSTRAINT IF EXISTS ${table}_${column}_check`, constraintOf(statement)],
    };
  }
  const sql = textOf(statement, dialect);
  return /^(INSERT|UPDATE|DELETE)\b/.test(sql) ? { change: sql } : { check: async () => {}, definitions: [repeatable(sql)] };
}

/** The definition with what lets it be repeated. */
function repeatable(sql: string): string {
  if (/^(REVOKE|GRANT)\b/.test(sql)) return sql;
  const made = sql.replace(/^(CREATE TABLE|CREATE (UNIQUE )?INDEX|ALTER TABLE \w+ ADD COLUMN)\b/, "$& IF NOT EXISTS");
  const repeated = made.replace(/^(DROP INDEX|DROP TABLE|ALTER TABLE \w+ DROP (CONSTRAINT|COLUMN))\b/, "$& IF EXISTS");
  if (repeated === sql) throw new Error(`It is not known how to repeat this statement: ${sql}`);
  return repeated;
}

const isEnumerated = (statement: Statement): statement is Enumerated => typeof statement === "object" && "column" in statement;

const textOf = (statement: Exclude<Statement, Enumerated>, dialect: Dialect) =>
  fill(typeof statement === "string" ? statement : statement[dialect.variant], dialect);

/** Throws an error with the value when a row has one that the enumerated column is not to have. */
async function assertKnownValues(
  q: Query,
  { name }: Migration,
  { table, column, values }: Enumerated,
  outcome: string,
): Promise<void> {
  const invalid = await q.one<{ value: string; count: number }>(
    `SELECT ${column} AS value, COUNT(*) AS count FROM ${table} WHERE ${column} NOT IN (${quoted(values).join(", ")}) GROUP BY ${column} LIMIT 1`,
  );
  if (!invalid) return;
  throw new Error(
    `Migration ${name} cannot be applied: ${invalid.count} row(s) of ${table} have ${column} ${JSON.stringify(invalid.value)}, which is not one of ` +
      `${values.join(", ")}. ${outcome} Correct these rows or restore a backup, then try again.`,
  );
}

/** What adds the constraint of an enumerated column. */
function constraintOf({ table, column, values }: Enumerated): string {
  // Without the first condition, SQLite would reject rows with null when the constraint is added. Not `IN`: for each row that is written,
  // SQLite makes a temporary table of a list of more than two values, which takes longer than the row.
  const condition = [`${column} IS NULL`, ...quoted(values).map((value) => `${column} = ${value}`)].join(" OR ");
  return `ALTER TABLE ${table} ADD CONSTRAINT ${table}_${column}_check CHECK (${condition})`;
}

const quoted = (values: readonly string[]) => values.map((value) => `'${value}'`);

/** Throws unless the history is the beginning of the list: the database is newer than this program, or not of this program. */
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
        "Use the playtest version that created this database, or restore a backup.",
    );
  }
}

const fill = (sql: string, { words }: Dialect) =>
  sql.replace(/\{(int|blob|strict)\}/g, (_, word: keyof Dialect["words"]) => words[word]);

const checksumOf = ({ statements }: Migration) => {
  const texts = statements.map((statement) => (typeof statement === "string" ? statement : JSON.stringify(statement)));
  return createHash("sha256").update(texts.join(";\n")).digest("hex");
};
