import { randomBytes } from "node:crypto";
import { chownSync, existsSync, mkdirSync, readdirSync, statfsSync, statSync } from "node:fs";
import { rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { shortageOf } from "../../../src/contract/text/shortages.ts";
import { checkAudit } from "../../audit/checks.ts";
import type { DataLocationOptions, LocationReport } from "../../config/data-location.ts";
import { findInstanceKey } from "../../config/instance-key.ts";
import { ConfigError, readConfig } from "../../config/read.ts";
import type { Driver } from "../../database/driver.ts";
import { type DatabaseLocation, fileDrivers, locate, lockDataDir, reportLocation } from "../../database/drivers.ts";
import { migrations } from "../../database/migrate.ts";
import type { Query } from "../../database/port.ts";
import { checkLedger } from "../../ledger/checks.ts";
import { fingerprintOf } from "../../lib/secrets.ts";
import { blobKinds } from "../../uploads/blob-store.ts";
import type { StoredFile } from "../../uploads/blobs.ts";
import { blobsBeside, configuredBucket } from "../../uploads/configured-blobs.ts";
import { deletionLine, deletionsFile, deletionsFor } from "../backups/deletion-list.ts";
import * as settings from "../keys/store.ts";
import { missingBlobs } from "../missing-blobs.ts";
import { requireNotMoved } from "../move/moved.ts";
import { capture, failures } from "./capture.ts";
import { fileDriverOf, type Manifest, names, stampOf } from "./contents.ts";
import { fillDatabase, fillFile, requireEmptyDatabase } from "./load.ts";
import { newPrograms, type Program } from "./programs.ts";
import type { OnProgress } from "./progress.ts";
import { type Archive, openArchive } from "./read.ts";
import { present, stagingIn, swapIn } from "./swap.ts";

export interface RestoreOptions extends DataLocationOptions {
  archive: string;
  /** Whether the files in the data folder may be replaced. A database elsewhere is never replaced. */
  replace: boolean;
  /** What `newPrograms` found and the operator confirmed; an archive that brings others is refused. */
  programs: readonly Program[];
  /** A list of deleted accounts; by default the one beside the archive, if there is one. */
  deletions?: string | undefined;
  /** Only check that the archive is complete and could be restored. */
  dryRun: boolean;
  /** Current time in milliseconds. */
  now: number;
  /** When it is aborted, the restore stops and everything stays as it was. */
  signal: AbortSignal;
  onProgress: OnProgress;
}

export interface Restored {
  archive: string;
  /** When the archive was created. */
  createdAt: string;
  dataDir: string;
  /** The name of the database driver. */
  database: string;
  files: number;
  bytes: number;
  /** The folder with the replaced files. */
  replaced: string | null;
  /** Files that were already missing when the archive was created. */
  missing: string[];
  /** Accounts that were deleted after the archive was created: the server deletes them again when it starts. */
  deletions: string[];
  location: LocationReport;
}

/**
 * Restores an archive to a server's data location: unpacks it beside the data, checks it, and only then moves it in. On any failure
 * everything stays as it was. Throws ConfigError for an unusable location, and Error for a damaged archive or a running server.
 */
export async function restore(options: RestoreOptions): Promise<Restored> {
  const archive = await openArchive(options.archive);
  try {
    const location = locate(options);
    await requireFree(options, location);
    if (!options.dryRun) await requireConfirmed(archive, options, location);
    const listed = await deletionsFor(options.archive, options.deletions);
    const deletions = [...listed].filter(([, time]) => time >= Date.parse(archive.manifest.createdAt) - slackMs);
    const replaced = options.dryRun
      ? await look(archive, options)
      : await putInPlace(archive, location, { ...options, deletions: deletions.map(([id, time]) => deletionLine(id, time)) });
    const { createdAt, missing } = archive.manifest;
    const what = {
      archive: options.archive,
      createdAt,
      dataDir: location.dataDir,
      files: archive.entries.length - 1,
      bytes: archive.bytes,
    };
    return {
      ...what,
      ...{ database: location.driver.name, replaced: replaced ?? null, missing },
      ...{ deletions: deletions.map(([id]) => id), location: reportLocation(location) },
    };
  } catch (error) {
    throw explained(error, options);
  } finally {
    await archive.close();
  }
}

/** Clocks of two machines may differ. An account that is deleted in the archive already is not deleted twice. */
const slackMs = 3_600_000;

function explained(error: unknown, { archive, signal }: RestoreOptions): unknown {
  if (signal.aborted) return signal.reason;
  if (!(error instanceof Error) || error instanceof ConfigError) return error;
  const shortage = shortageOf(error);
  const [why, next] = shortage ? [shortage.what, ` ${shortage.remedy}`] : [error.message.replace(/\.$/, ""), ""];
  return new Error(`${archive} was not restored: ${why}. Nothing was changed.${next}`, { cause: error });
}

async function requireFree({ replace, env, archive }: RestoreOptions, location: DatabaseLocation): Promise<void> {
  const { dataDir, driver } = location;
  if (existsSync(dataDir) && !statSync(dataDir).isDirectory())
    throw new ConfigError(`${dataDir} is not a folder. Nothing was changed.`);
  const [there] = present(dataDir);
  if (there !== undefined && !replace)
    throw Object.assign(
      new ConfigError(
        `${join(dataDir, there)} already exists. Nothing was changed. Pass a new folder with --data, or replace the data with ${archive} by \`playtest serve restore\`.`,
      ),
      { exitCode: 6 },
    );
  if (!driver.file) await requireEmptyDatabase(location);
  if (env.PLAYTEST_SECRET_KEY !== undefined) findInstanceKey(env.PLAYTEST_SECRET_KEY, dataDir);
}

/** An archive may come from somebody else, and its settings must not make the server run their programs. */
async function requireConfirmed(
  archive: Archive,
  { programs, config }: RestoreOptions,
  { dataDir }: DatabaseLocation,
): Promise<void> {
  const strange = (await newPrograms(archive, { dataDir, config })).find(
    (one) => !programs.some(({ setting, command }) => setting === one.setting && command === one.command),
  );
  if (strange === undefined) return;
  throw new ConfigError(
    `The archive sets ${strange.setting} to ${strange.command}, which nobody confirmed. Nothing was changed.`,
  );
}

const look = async (archive: Archive, { onProgress }: RestoreOptions): Promise<undefined> => {
  await archive.extract(undefined, counted("Checking", archive, onProgress));
};

function counted(step: string, { bytes }: Archive, onProgress: OnProgress): (more: number) => void {
  let done = 0;
  return (more) => {
    done += more;
    onProgress(step, done, bytes);
  };
}

type Placing = Omit<RestoreOptions, "deletions"> & { deletions: readonly string[] };

async function putInPlace(archive: Archive, location: DatabaseLocation, options: Placing): Promise<string | undefined> {
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
    await archive.extract(staging, counted("Unpacking", archive, options.onProgress));
    const last = await prepare({ ...options, ...location, staging, rows, manifest: archive.manifest });
    if (options.deletions.length > 0) await writeFile(join(staging, deletionsFile), options.deletions.join(""), { mode: 0o600 });
    giveToOwner(staging, dataDir);
    return await swapIn(dataDir, stampOf(options.now), last);
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
    `it has ${bytes} bytes, but ${dataDir} has only ${bavail * bsize} bytes of free space. The existing data is kept, so both must fit`,
  );
}

/**
 * PLAYTEST_SECRET_KEY overrides the archive's key. A server with another key than that of the database does not start: it could not decrypt
 * anything. A database that no server has used does not know its key.
 */
async function requireKey(q: Query, dataDir: string, { env }: Pick<RestoreOptions, "env">): Promise<void> {
  const known = await settings.get(q, "instance_key");
  const [inForce, kept] = [findInstanceKey(env.PLAYTEST_SECRET_KEY, dataDir)!, findInstanceKey(undefined, dataDir)!];
  const isRight = (key: Buffer) => (known === undefined ? key.equals(kept) : fingerprintOf(key, randomBytes) === known);
  if (isRight(inForce)) return;
  throw new ConfigError(
    isRight(kept)
      ? "PLAYTEST_SECRET_KEY differs from the key in the archive, so the encrypted data could not be read. Nothing was changed. Unset it, here and where the server runs."
      : "The instance key in the archive is not the key of the database in it, so the encrypted data could not be read. Nothing was changed. Set PLAYTEST_SECRET_KEY to the key of the server that was backed up, here and where the restored server runs, or restore another backup.",
  );
}

type Checked = Pick<RestoreOptions, "env" | "now" | "config"> & { manifest: Manifest };

interface Staged extends DatabaseLocation, Checked {
  staging: string;
  rows: string;
  onProgress: OnProgress;
}

/** Prepares the staged files for the location's database and checks them. Returns the step that remains after they were moved in. */
async function prepare(staged: Staged): Promise<() => Promise<void>> {
  const { staging, rows, manifest, dataDir, driver, onProgress } = staged;
  const position = manifest.migrations.length;
  for (const name of [names.manifest, names.sums]) await rm(join(staging, name), { force: true });
  const archived = fileDriverOf(manifest);
  if (!archived) await rename(join(staging, names.rows), rows);
  else if (archived !== driver) await takeRows(archived, staged);
  if (!driver.file) return async () => fillDatabase(staged, rows, position, onProgress, await damageChecks(dataDir, staged));
  if (archived !== driver) await fillFile({ ...staged, dataDir: staging }, rows, position, onProgress);
  await checkFile(staged);
  return async () => {};
}

/** Replaces the archive's database file with its rows. */
async function takeRows(archived: Driver, { staging, rows, onProgress }: Staged): Promise<void> {
  const location = { driver: archived, dataDir: staging, databaseUrl: undefined };
  await capture({ portable: true, location, scratch: rows, refusal: ofMoved, onProgress });
  for (const name of archived.file!.names) await rm(join(staging, name), { force: true });
}

async function checkFile(staged: Staged): Promise<void> {
  const { driver, staging } = staged;
  const store = await driver.inspect({ dataDir: staging, databaseUrl: undefined });
  try {
    const damage = failures(await store.check({ thorough: true })) ?? (await store.read(await damageChecks(staging, staged)));
    if (damage !== undefined) throw new Error(`its database failed the checks (${damage})`);
  } finally {
    await store.close();
  }
}

/** What is said of an archive of a database that nothing used because of a move. */
const ofMoved = { outcome: "Nothing was changed.", remedy: "Restore a backup of the database that is in use." };

type DamageOf = (q: Query) => Promise<string | undefined>;

/**
 * Looks at the files and returns what says what is wrong with them or the database. That only queries, because it may be in a transaction,
 * and PostgreSQL ends one that asks nothing for 30 seconds, while a large bucket takes minutes to list.
 */
async function damageChecks(dataDir: string, { manifest, env, now, config }: Checked): Promise<DamageOf> {
  // Without files in a bucket, nothing depends on settings, which an older program may have written.
  const bucket = manifest.bucket && (await configuredBucket(await readConfig(env, dataDir, config), { env, now: () => now }));
  const listed: StoredFile[] = [];
  for await (const file of (await blobsBeside(dataDir, bucket)).list(blobKinds)) listed.push(file);
  return async (q) => {
    await requireNotMoved(q, ofMoved);
    await requireKey(q, dataDir, { env });
    if (manifest.bucket && manifest.bucket.files.length > 0 && !bucket)
      return `the files that it names are in ${manifest.bucket.address}, and no setting names a bucket: pass the server's configuration with --config, or set PLAYTEST_BLOBS`;
    return (await damageOfFiles(q, manifest, listed)) ?? (await damageOfRows(q, manifest));
  };
}

async function damageOfFiles(q: Query, manifest: Manifest, listed: readonly StoredFile[]): Promise<string | undefined> {
  const sizes = new Map(manifest.bucket?.files.map(({ name, size }) => [name, size]));
  const changed = listed.find(({ key, size }) => (sizes.get(`blobs/${key}`) ?? size) !== size);
  if (changed) return `the file ${changed.key} has another size than when the archive was created`;
  const found = await missingBlobs(q, { list: () => Readable.from(listed) });
  const missing = found.find((key) => !manifest.missing.includes(`blobs/${key}`));
  return missing === undefined ? undefined : `the file ${missing} is missing`;
}

/** The ledger of an older schema can be checked only after the next start migrated it. */
const damageOfRows = async (q: Query, manifest: Manifest): Promise<string | undefined> =>
  manifest.migrations.length === migrations.length ? failures([...(await checkLedger(q)), await checkAudit(q)]) : undefined;

/** When root restores, the files are given to the owner of the folder, whose server must be able to read them and take the lock. */
function giveToOwner(staging: string, dataDir: string): void {
  const { uid, gid } = statSync(dataDir);
  if (process.getuid?.() !== 0 || uid === 0) return;
  const staged = ["", ...readdirSync(staging, { recursive: true, encoding: "utf8" })].map((name) => join(staging, name));
  const locks = fileDrivers.map(({ file }) => join(dataDir, file!.lockName));
  for (const path of [...staged, ...locks]) chownSync(path, uid, gid);
}
