import { chownSync, existsSync, mkdirSync, readdirSync, statfsSync, statSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { DataLocationOptions, LocationReport } from "../../config/data-location.ts";
import { findInstanceKey } from "../../config/instance-key.ts";
import { ConfigError } from "../../config/read.ts";
import type { Driver } from "../../database/driver.ts";
import { type DatabaseLocation, fileDrivers, locate, lockDataDir, reportLocation } from "../../database/drivers.ts";
import { migrations } from "../../database/migrate.ts";
import type { Query } from "../../database/port.ts";
import { checkLedger } from "../../ledger/checks.ts";
import { sameText } from "../../lib/secrets.ts";
import { missingBlobs } from "../../uploads/missing-blobs.ts";
import { capture, failures } from "./capture.ts";
import { fileDriverOf, type Manifest, names } from "./contents.ts";
import { fillDatabase, fillFile, requireEmptyDatabase } from "./load.ts";
import type { OnProgress } from "./progress.ts";
import { type Archive, openArchive } from "./read.ts";
import { present, stagingIn, swapIn } from "./swap.ts";

export interface RestoreOptions extends DataLocationOptions {
  archive: string;
  /** Whether a data folder in use may be replaced. A database outside of it is never. */
  replace: boolean;
  /** Only look whether the archive is whole and could be restored. */
  dryRun: boolean;
  /** Milliseconds. */
  now: number;
  /** Ends the work when it is aborted, with everything as it was. */
  signal: AbortSignal;
  onProgress: OnProgress;
}

export interface Restored {
  archive: string;
  /** When the archive was made. */
  createdAt: string;
  dataDir: string;
  /** The name of its driver. */
  database: string;
  files: number;
  bytes: number;
  /** The folder with what was there before. */
  replaced: string | null;
  /** Files that were gone already when the archive was made. */
  missing: string[];
  location: LocationReport;
}

/**
 * Puts what an archive holds in a server's location: unpacked beside it, checked, and only then moved in. On any failure everything is as
 * it was. Throws ConfigError for a place that cannot be, and Error for an archive or a running server.
 */
export async function restore(options: RestoreOptions): Promise<Restored> {
  const archive = await openArchive(options.archive);
  try {
    const location = locate(options);
    await requireFree(options, location);
    const replaced = options.dryRun ? await look(archive, options) : await putInPlace(archive, location, options);
    const { createdAt, missing } = archive.manifest;
    const what = {
      archive: options.archive,
      createdAt,
      dataDir: location.dataDir,
      files: archive.entries.length - 1,
      bytes: archive.bytes,
    };
    return { ...what, database: location.driver.name, replaced: replaced ?? null, missing, location: reportLocation(location) };
  } catch (error) {
    throw explained(error, options);
  } finally {
    await archive.close();
  }
}

function explained(error: unknown, { archive, signal }: RestoreOptions): unknown {
  if (signal.aborted) return signal.reason;
  if (!(error instanceof Error) || error instanceof ConfigError) return error;
  return new Error(`${archive} was not restored: ${error.message.replace(/\.$/, "")}. Everything is as it was.`, {
    cause: error,
  });
}

async function requireFree({ replace, env, archive }: RestoreOptions, location: DatabaseLocation): Promise<void> {
  const { dataDir, driver } = location;
  if (existsSync(dataDir) && !statSync(dataDir).isDirectory())
    throw new ConfigError(`${dataDir} is not a folder. Nothing was changed.`);
  const [there] = present(dataDir);
  if (there !== undefined && !replace)
    throw Object.assign(
      new ConfigError(
        `${join(dataDir, there)} is there already. Nothing was changed. Name a new folder with --data, or put ${archive} in its place with \`playtest serve restore\`.`,
      ),
      { exitCode: 6 },
    );
  if (!driver.file) await requireEmptyDatabase(location);
  if (env.PLAYTEST_SECRET_KEY !== undefined) findInstanceKey(env.PLAYTEST_SECRET_KEY, dataDir);
}

const look = async (archive: Archive, { onProgress }: RestoreOptions): Promise<undefined> => {
  await archive.takeOut(undefined, counted("Checking", archive, onProgress));
};

function counted(step: string, { bytes }: Archive, onProgress: OnProgress): (more: number) => void {
  let done = 0;
  return (more) => {
    done += more;
    onProgress(step, done, bytes);
  };
}

async function putInPlace(archive: Archive, location: DatabaseLocation, options: RestoreOptions): Promise<string | undefined> {
  const { dataDir } = location;
  const made = mkdirSync(dataDir, { recursive: true, mode: 0o700 }) !== undefined;
  const unlock = await lockDataDir(dataDir).catch((error) => Promise.reject(inUse(error)));
  const staging = stagingIn(dataDir);
  const rows = `${staging}.rows`;
  const clear = async () => {
    for (const path of [staging, rows]) await rm(path, { recursive: true, force: true });
  };
  try {
    await clear();
    requireRoom(archive, dataDir);
    mkdirSync(staging, { mode: 0o700 });
    await archive.takeOut(staging, counted("Unpacking", archive, options.onProgress));
    requireSameKey(options, staging);
    const last = await prepare({ ...options, ...location, staging, rows, manifest: archive.manifest });
    giveToOwner(staging, dataDir);
    return await swapIn(dataDir, new Date(options.now).toISOString().replace(/[-:]|\.\d+/g, ""), last);
  } finally {
    await clear();
    unlock();
    if (made && present(dataDir).length === 0) await rm(dataDir, { recursive: true, force: true });
  }
}

const inUse = (error: Error) => Object.assign(new ConfigError(error.message, { cause: error }), { exitCode: 1 });

function requireRoom({ bytes }: Archive, dataDir: string): void {
  const { bavail, bsize } = statfsSync(dataDir);
  if (bavail * bsize > bytes) return;
  throw new Error(
    `it holds ${bytes} bytes and ${dataDir} has room for ${bavail * bsize}; what is there is kept, so both must fit`,
  );
}

/** The environment's key comes before the folder's: with another one a server would start, and could read nothing that is sealed. */
function requireSameKey({ env }: RestoreOptions, staging: string): void {
  const [inForce, kept] = [findInstanceKey(env.PLAYTEST_SECRET_KEY, staging)!, findInstanceKey(undefined, staging)!];
  if (sameText(inForce.toString("hex"), kept.toString("hex"))) return;
  throw new ConfigError(
    "PLAYTEST_SECRET_KEY is another key than the one in the archive, and what that one sealed could not be read. Nothing was changed. Unset it, here and where the server runs.",
  );
}

interface Staged extends DatabaseLocation {
  staging: string;
  rows: string;
  manifest: Manifest;
  onProgress: OnProgress;
}

/** Makes of the staged files what the place takes, and checks it; gives what remains to be done when they are in. */
async function prepare(staged: Staged): Promise<() => Promise<void>> {
  const { staging, rows, manifest, dataDir, driver, onProgress } = staged;
  const position = manifest.migrations.length;
  for (const name of [names.manifest, names.sums]) await rm(join(staging, name), { force: true });
  const archived = fileDriverOf(manifest);
  if (!archived) await rename(join(staging, names.rows), rows);
  else if (archived !== driver) await takeRows(archived, staged);
  if (!driver.file) return () => fillDatabase(staged, rows, position, onProgress, (q) => damageOf(q, dataDir, manifest));
  if (archived !== driver) await fillFile({ ...staged, dataDir: staging }, rows, position, onProgress);
  await checkFile(staged);
  return async () => {};
}

/** Replaces the database file of the archive by its rows. */
async function takeRows(archived: Driver, { staging, rows, onProgress }: Staged): Promise<void> {
  const location = { driver: archived, dataDir: staging, databaseUrl: undefined };
  await capture({ portable: true, location, scratch: rows, onProgress });
  for (const name of archived.file!.names) await rm(join(staging, name), { force: true });
}

async function checkFile({ driver, staging, manifest }: Staged): Promise<void> {
  const store = await driver.inspect({ dataDir: staging, databaseUrl: undefined });
  try {
    const damage = failures(await store.check({ thorough: true })) ?? (await store.read((q) => damageOf(q, staging, manifest)));
    if (damage !== undefined) throw new Error(`its database is not in order (${damage})`);
  } finally {
    await store.close();
  }
}

/** What is wrong with a database or the files it tells of; the books of an older one can be checked only after its next start. */
async function damageOf(q: Query, dataDir: string, manifest: Manifest): Promise<string | undefined> {
  const lost = (await missingBlobs(q, dataDir)).find((key) => !manifest.missing.includes(`blobs/${key}`));
  if (lost !== undefined) return `it lacks the file ${lost}`;
  return manifest.migrations.length === migrations.length ? failures(await checkLedger(q)) : undefined;
}

/** Root restores for whoever owns the folder: a server of theirs must be able to read it, and to take the lock. */
function giveToOwner(staging: string, dataDir: string): void {
  const { uid, gid } = statSync(dataDir);
  if (process.getuid?.() !== 0 || uid === 0) return;
  const staged = ["", ...readdirSync(staging, { recursive: true, encoding: "utf8" })].map((name) => join(staging, name));
  const locks = fileDrivers.map(({ file }) => join(dataDir, file!.lockName));
  for (const path of [...staged, ...locks]) chownSync(path, uid, gid);
}
