import { open } from "node:fs/promises";
import { checkAudit } from "../../audit/checks.ts";
import type { DatabaseFile } from "../../database/driver.ts";
import type { DatabaseLocation } from "../../database/drivers.ts";
import { type Applied, applied, assertSameHistory, migrations } from "../../database/migrate.ts";
import type { Check, Query } from "../../database/port.ts";
import { tablesOf } from "../../database/tables.ts";
import { checkLedger } from "../../ledger/checks.ts";
import { referencedBlobs } from "../../uploads/blob-store.ts";
import * as settings from "../keys/store.ts";
import { type Refusal, requireNotMoved } from "../move/moved.ts";
import { type Manifest, rowsOnly } from "./contents.ts";
import type { OnProgress } from "./progress.ts";
import { dumpRows } from "./rows.ts";

/** A copy of the database in a scratch file, which passed all checks. */
export interface Captured {
  database: Manifest["database"];
  migrations: Applied[];
  /** The fingerprint of its instance key; undefined when no server has used it yet. */
  fingerprint: string | undefined;
  /** The keys of the files that its rows refer to. */
  blobs: string[];
}

export interface CaptureSource {
  /** Copy the rows in a form that any database can load, instead of the database file. */
  portable: boolean;
  location: Pick<DatabaseLocation, "driver" | "dataDir" | "databaseUrl">;
  /** The file to write to. */
  scratch: string;
  /** What is said of a database that nothing uses because of a move. */
  refusal: Refusal;
  onProgress: OnProgress;
}

/** Copies the current database to `scratch`: its file if it has one, otherwise its rows. */
export function capture(source: CaptureSource): Promise<Captured> {
  const { file, name } = source.location.driver;
  return source.portable || !file ? captureRows(source) : captureFile(source, file, name);
}

/** The keys of the files that the database refers to now. Throws ConfigError for one that nothing uses because of a move. Closes at once: an open transaction would let the server's WAL grow. */
export async function blobsNow(location: CaptureSource["location"]): Promise<string[]> {
  const { query, close } = await location.driver.snapshot(location);
  try {
    await requireNotMoved(query, { outcome: "Nothing was written." });
    return await referencedBlobs(query);
  } finally {
    await close();
  }
}

async function captureFile(source: CaptureSource, file: DatabaseFile, database: string): Promise<Captured> {
  const { location, scratch, refusal, onProgress } = source;
  await file.copy(location.dataDir, scratch, (done, total) => onProgress("Copying the database", done, total));
  const copy = await file.inspectCopy(scratch);
  try {
    const found = await describe(await copy.read(async (q) => q), refusal);
    requireWhole(await copy.check({ thorough: true }));
    return { database, ...found };
  } finally {
    await copy.close();
  }
}

async function captureRows({ location, scratch, refusal, onProgress }: CaptureSource): Promise<Captured> {
  const { dialect, query, close } = await location.driver.snapshot(location);
  const file = await open(scratch, "w", 0o600);
  try {
    const found = await describe(query, refusal);
    const tables = await tablesOf(query, dialect, migrations.slice(0, found.migrations.length));
    let rows = 0;
    await dumpRows(query, tables, file, (more) => {
      rows += more;
      onProgress("Writing rows", rows);
    });
    return { database: rowsOnly, ...found };
  } finally {
    await file.close();
    await close();
  }
}

async function describe(q: Query, refusal: Refusal): Promise<Omit<Captured, "database">> {
  const history = await applied(q);
  assertSameHistory(history);
  await requireNotMoved(q, refusal);
  if (history.length === migrations.length) requireWhole([...(await checkLedger(q)), await checkAudit(q)]);
  return { migrations: history, fingerprint: await settings.get(q, "instance_key"), blobs: await referencedBlobs(q) };
}

function requireWhole(checks: readonly Check[]): void {
  const failed = failures(checks);
  if (failed === undefined) return;
  throw new Error(
    `The database failed its checks (${failed}). No backup was kept. Run \`playtest serve doctor --ledger\` to see what to do. To copy the database as it is, stop the server and copy its data folder.`,
  );
}

/** The failed checks in one line; undefined when all passed. */
export function failures(checks: readonly Check[]): string | undefined {
  const failed = checks.filter(({ ok }) => !ok);
  return failed.length === 0 ? undefined : failed.map(({ name, detail }) => `${name}: ${detail}`).join("; ");
}
