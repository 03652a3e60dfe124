import { open } from "node:fs/promises";
import { checkAudit } from "../../audit/checks.ts";
import type { DatabaseFile } from "../../database/driver.ts";
import type { DatabaseLocation } from "../../database/drivers.ts";
import { type Applied, applied, assertSameHistory, migrations } from "../../database/migrate.ts";
import type { Check, Query } from "../../database/port.ts";
import { tablesOf } from "../../database/tables.ts";
import { checkLedger } from "../../ledger/checks.ts";
import { referencedBlobs } from "../../uploads/blob-store.ts";
import { type Manifest, rowsOnly } from "./contents.ts";
import type { OnProgress } from "./progress.ts";
import { dumpRows } from "./rows.ts";

/** A copy of the database in a scratch file, which passed all checks. */
export interface Captured {
  database: Manifest["database"];
  migrations: Applied[];
  /** The keys of the files that its rows refer to. */
  blobs: string[];
}

export interface CaptureSource {
  /** Copy the rows in a form that any database can load, instead of the database file. */
  portable: boolean;
  location: Pick<DatabaseLocation, "driver" | "dataDir" | "databaseUrl">;
  /** The file to write to. */
  scratch: string;
  onProgress: OnProgress;
}

/** Copies the current database to `scratch`: its file if it has one, otherwise its rows. */
export function capture(source: CaptureSource): Promise<Captured> {
  const { file, name } = source.location.driver;
  return source.portable || !file ? captureRows(source) : captureFile(source, file, name);
}

/** The keys of the files that the database refers to now. Closes at once: an open transaction would let the server's WAL grow. */
export async function blobsNow(location: CaptureSource["location"]): Promise<string[]> {
  const { query, close } = await location.driver.snapshot(location);
  return referencedBlobs(query).finally(close);
}

async function captureFile(source: CaptureSource, file: DatabaseFile, database: string): Promise<Captured> {
  const { location, scratch, onProgress } = source;
  await file.copy(location.dataDir, scratch, (done, total) => onProgress("Copying the database", done, total));
  const copy = await file.inspectCopy(scratch);
  try {
    const found = await describe(await copy.read(async (q) => q));
    requireWhole(await copy.check({ thorough: true }));
    return { database, ...found };
  } finally {
    await copy.close();
  }
}

async function captureRows({ location, scratch, onProgress }: CaptureSource): Promise<Captured> {
  const { dialect, query, close } = await location.driver.snapshot(location);
  const file = await open(scratch, "w", 0o600);
  try {
    const found = await describe(query);
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

async function describe(q: Query): Promise<Omit<Captured, "database">> {
  const history = await applied(q);
  assertSameHistory(history);
  if (history.length === migrations.length) requireWhole([...(await checkLedger(q)), await checkAudit(q)]);
  return { migrations: history, blobs: await referencedBlobs(q) };
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
