import { chmodSync, existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { checkAudit } from "../audit/checks.ts";
import type { DataLocationOptions, LocationReport } from "../config/data-location.ts";
import { ConfigError, readConfig } from "../config/read.ts";
import { type DatabaseLocation, fileDrivers, hasDatabase, locate, reportLocation } from "../database/drivers.ts";
import { migrate, pending } from "../database/migrate.ts";
import type { Check, Query, Store } from "../database/port.ts";
import * as jobs from "../jobs/store.ts";
import { checkLedger, repairBalances } from "../ledger/checks.ts";
import * as search from "../search/store.ts";
import { missingBlobs } from "../uploads/missing-blobs.ts";

export interface DoctorOptions extends DataLocationOptions {
  ledger: boolean;
  /** Also repairs what can be repaired. With SQLite, the server must be stopped for that. */
  fix: boolean;
  /** Current time in milliseconds, to compare with the database's clock. */
  now: number;
}

/** Checks a database and its files, whether a server runs on them or not. Throws ConfigError when there is no database. */
export async function doctor(options: DoctorOptions): Promise<Check[]> {
  const location = locate(options);
  const repairs = options.fix ? await repair(location) : [];
  const { check: configuration, readUrl } = await configCheck(options, location);
  const store = await open(location, true, readUrl);
  try {
    const known = [...locationChecks(location), configuration, ...repairs];
    const basic = await store.check({ thorough: true, now: options.now });
    // Of a damaged file, nothing else can be read.
    if (basic.some(({ name, ok }) => name === "integrity" && !ok)) return [...known, ...basic];
    const behind = await pending(store);
    const schema = { name: "schema", ok: behind.length === 0, detail: behind.length === 0 ? "up to date" : waiting(behind) };
    const checks = [...basic, schema, ...fileChecks(location)];
    if (schema.ok) checks.push(await store.read(jobCheck), await store.read((q) => uploadCheck(q, location.dataDir)));
    if (schema.ok) checks.push(await store.read(searchCheck), await store.read(checkAudit));
    if (options.ledger && schema.ok) checks.push(...(await store.read(checkLedger)));
    return [...known, ...checks];
  } catch (error) {
    throw refused(error);
  } finally {
    await store.close();
  }
}

export interface Migrated {
  /** The names of the migrations that ran. */
  applied: string[];
  location: LocationReport;
}

/** Brings the database up to date. */
export async function migrateDatabase(options: DataLocationOptions): Promise<Migrated> {
  const location = locate(options);
  const store = await open(location, false);
  try {
    const applied = (await pending(store)).map(({ name }) => name);
    await migrate(store);
    return { applied, location: reportLocation(location) };
  } catch (error) {
    throw refused(error);
  } finally {
    await store.close();
  }
}

const waiting = (migrations: readonly { name: string }[]) =>
  `${migrations.map(({ name }) => name).join(", ")} not applied yet: start the server, or run \`playtest serve migrate\``;

/** The data location that is checked, and what selected it. */
function locationChecks(location: DatabaseLocation): Check[] {
  const { database, databaseFrom, dataDir, dataDirFrom } = reportLocation(location);
  return [
    { name: "database", ok: true, detail: `${database} (${databaseFrom})` },
    { name: "data_directory", ok: true, detail: `${dataDir} (${dataDirFrom})` },
  ];
}

async function configCheck(
  { env }: DataLocationOptions,
  { dataDir }: DatabaseLocation,
): Promise<{ check: Check; readUrl?: string | undefined }> {
  try {
    const { database } = await readConfig(env, dataDir, undefined);
    return { check: { name: "configuration", ok: true, detail: "valid" }, readUrl: database.readUrl ?? undefined };
  } catch (error) {
    return { check: { name: "configuration", ok: false, detail: "not valid", help: (error as Error).message } };
  }
}

async function open(location: DatabaseLocation, readOnly: boolean, readUrl?: string): Promise<Store> {
  const { driver, dataDir } = location;
  if (readOnly && !hasDatabase(location))
    throw new ConfigError(`No playtest database found in ${dataDir}. Nothing was changed. Pass the data directory with --data.`);
  const opened = readOnly ? driver.inspect(location, { readUrl }) : driver.open(location, { patient: true });
  return opened.catch((error) => Promise.reject(refused(error)));
}

/** A database that cannot be opened or read is reported as a problem of the configuration, not as a bug of this program. */
function refused(error: unknown): ConfigError {
  if (error instanceof ConfigError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return Object.assign(new ConfigError(message, { cause: error }), { exitCode: 1 });
}

/** Files with keys and personal data, which only their owner may read. */
const privateFiles = [...fileDrivers.map(({ file }) => file!.names[0]), "instance.key", "config.json"];

function exposedFiles(dataDir: string): string[] {
  if (process.platform === "win32" || !existsSync(dataDir)) return [];
  const files = readdirSync(dataDir).filter((name) => privateFiles.some((start) => name.startsWith(start)));
  return files.map((name) => join(dataDir, name)).filter((file) => (statSync(file).mode & 0o077) !== 0);
}

function fileChecks({ dataDir }: DatabaseLocation): Check[] {
  if (process.platform === "win32") return [];
  const exposed = exposedFiles(dataDir);
  const detail =
    exposed.length === 0
      ? "readable by their owner only"
      : `other users can access ${exposed.join(", ")}; \`--fix\` makes them private`;
  return [{ name: "file_modes", ok: exposed.length === 0, detail }];
}

/** Jobs that failed too often are kept until they are requeued. */
async function jobCheck(q: Query): Promise<Check> {
  const kinds = await jobs.deadJobs(q);
  if (kinds.length === 0) return { name: "jobs", ok: true, detail: "no failed jobs" };
  return {
    name: "jobs",
    ok: false,
    detail: kinds.map(({ kind, count, last_error }) => `${count} × ${kind} failed (${last_error})`).join("; "),
    help: "These background jobs failed 25 times over several days and are not retried. Remove the cause, then requeue them with `--fix`.",
  };
}

const shownFiles = 3;

async function uploadCheck(q: Query, dataDir: string): Promise<Check> {
  const missing = await missingBlobs(q, dataDir);
  if (missing.length === 0) return { name: "uploads", ok: true, detail: "every file that the database refers to is present" };
  const more = missing.length > shownFiles ? ` and ${missing.length - shownFiles} more` : "";
  const help = `Restore these files from a backup: \`tar xf BACKUP -C ${dataDir} blobs/…\`. If the server keeps its files elsewhere, name its data directory with --data.`;
  return {
    name: "uploads",
    ok: false,
    detail: `missing in ${join(dataDir, "blobs")}: ${missing.slice(0, shownFiles).join(", ")}${more}`,
    help,
  };
}

/** The index of the search is made from other rows and from files: at worst it is made again. */
async function searchCheck(q: Query): Promise<Check> {
  const name = "search";
  const broken = await search.countBroken(q);
  if (broken > 0) {
    const help = "Make the index again with `--fix`: a server fills it when it starts, and searches find only a part until then.";
    return { name, ok: false, detail: `${broken} passages of the index are incomplete`, help };
  }
  const waiting = await search.countUnindexed(q);
  if (waiting === 0) return { name, ok: true, detail: "every video is indexed" };
  const detail = `searches do not find ${waiting} videos yet: a server indexes them after it starts, the newest first`;
  return { name, ok: true, warning: true, detail };
}

async function repair(location: DatabaseLocation): Promise<Check[]> {
  const done: Check[] = [];
  const note = (detail: string) => done.push({ name: "fixed", ok: true, detail });
  const store = await open(location, false);
  try {
    const balances = await store.write(repairBalances);
    if (balances > 0) note(`set ${balances} balances to the sum of their postings`);
    if ((await store.read(search.countBroken)) > 0) {
      await store.write(async (tx) => search.clear(tx));
      note("emptied the index of the search: the next start of a server fills it");
    }
    const requeued = await store.write(jobs.requeueDead);
    if (requeued > 0) note(`requeued ${requeued} failed jobs`);
  } catch (error) {
    throw refused(error);
  } finally {
    await store.close();
  }
  for (const file of exposedFiles(location.dataDir)) {
    chmodSync(file, 0o600);
    note(`made ${file} private`);
  }
  return done;
}
