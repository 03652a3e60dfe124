import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { shortageOf } from "../../../src/contract/text/shortages.ts";
import type { DataLocationOptions, LocationReport } from "../../config/data-location.ts";
import { findInstanceKey } from "../../config/instance-key.ts";
import { type KeepRule, keepForm, parseKeep } from "../../config/keep-rule.ts";
import { ConfigError, readConfig } from "../../config/read.ts";
import { type DatabaseLocation, hasDatabase, locate, reportLocation } from "../../database/drivers.ts";
import { blobKinds } from "../../uploads/blob-store.ts";
import { configuredBucket } from "../../uploads/configured-blobs.ts";
import type { Bucket } from "../../uploads/s3/bucket.ts";
import { blobsNow } from "./capture.ts";
import { type Manifest, rowsOnly } from "./contents.ts";
import { earlierAt, findPlace, openDestination, type Place, type PlaceOptions } from "./destination.ts";
import { FolderWriter, hasFile } from "./folder.ts";
import type { OnProgress } from "./progress.ts";
import { removeOlder } from "./remove-older.ts";
import { ArchiveWriter, sizeOf } from "./write.ts";

export interface BackupOptions extends DataLocationOptions, PlaceOptions {
  /** Write the rows in a form that any database can load, instead of the database file. */
  portable: boolean;
  /** Replace an existing file. */
  force: boolean;
  /** Which backups to keep in the folder, such as `7d,4w,12m`; always this one. Undefined: all. */
  keep?: string | undefined;
  /** Only report what would be written. */
  dryRun: boolean;
  version: string;
  /** Current time in milliseconds. */
  now: number;
  onProgress: OnProgress;
}

export interface Backup {
  /** The path of the file or folder. */
  file: string;
  bytes: number;
  files: number;
  /** What was not in the last backup of the folder. Only of a backup that is a folder. */
  newFiles?: number;
  newBytes?: number;
  /** Why files of the last backup were copied instead of shared. */
  unshared?: string;
  /** Files that the archive only names, because they are in the bucket. Absent without one. */
  inBucket?: number;
  database: Manifest["database"];
  /** Files that the database refers to but that are missing on the server. */
  missing: string[];
  /** Older backups in the folder that were removed. */
  removed: string[];
  location: LocationReport;
}

/**
 * Writes a complete copy of a running or stopped server to one private file or folder, which gets its name only after everything in it was
 * checked. It contains every change that was acknowledged before the backup began. Throws ConfigError for an unusable target or server.
 */
export async function backup(options: BackupOptions): Promise<Backup> {
  const location = locate(options);
  const key = findInstanceKey(options.env.PLAYTEST_SECRET_KEY, location.dataDir);
  if (key === undefined)
    throw new ConfigError(
      `${location.dataDir} is not the data directory of a server: it has no instance.key, and PLAYTEST_SECRET_KEY is not set. Nothing was written. Pass the data directory with --data.`,
    );
  if (!hasDatabase(location))
    throw new ConfigError(
      `No playtest database found in ${location.dataDir}. Nothing was written. Pass its folder with --data, or a PostgreSQL database with --database-url.`,
    );
  const rule = options.keep === undefined ? undefined : requireRule(options.keep);
  const { env, now, config } = options;
  const bucket = await configuredBucket(await readConfig(env, location.dataDir, config), { env, now: () => now });
  if (!bucket) await requireOnDisk(location);
  const place = findPlace(options);
  if (options.dryRun) return plan(location, place, options.portable, bucket);
  const made = await write(place, key, { ...options, location, bucket });
  const removed = rule ? await removeOlder(place.path, rule, options.portable, now) : [];
  return { ...made, removed, location: reportLocation(location) };
}

/**
 * Throws for a server that has used a bucket which no setting names, unless most of its files are on the disk: a backup would have
 * none of those in the bucket, and replace older ones.
 */
async function requireOnDisk(location: DatabaseLocation): Promise<void> {
  const { dataDir } = location;
  const marker = join(dataDir, "storing", "id");
  if (!existsSync(marker)) return;
  const all = await blobsNow(location);
  const lost = all.filter((key) => sizeOnDisk(dataDir, key) === undefined);
  if (lost.length === 0 || 2 * lost.length < all.length) return;
  throw new ConfigError(
    `The server of ${dataDir} has used a bucket, no setting names one, and ${lost.length} of its files ${lost.length === 1 ? "is" : "are"} not on this disk. Nothing was written. Pass the server's configuration with --config, or set PLAYTEST_BLOBS. If it uses no bucket any more, remove the file ${marker} to back up what is left.`,
  );
}

const sizeOnDisk = (dataDir: string, key: string) => sizeOf(join(dataDir, "blobs", key)) ?? sizeOf(join(dataDir, "storing", key));

function requireRule(text: string): KeepRule {
  const rule = parseKeep(text);
  if (rule) return rule;
  throw new ConfigError(`--keep ${text} is not a rule. Nothing was written. Pass one such as ${keepForm}.`);
}

type Writing = BackupOptions & { location: DatabaseLocation; bucket: Bucket | undefined };

async function write(place: Place, key: Buffer, options: Writing): Promise<Omit<Backup, "removed" | "location">> {
  try {
    const { target, scratch, finish, clean } = await openDestination(place, options);
    try {
      const writer = new ArchiveWriter(target, { ...options, scratch });
      await writer.writeAll(key);
      await finish();
      const { bytes, files, newFiles, newBytes, referred, database, missing } = writer;
      return {
        ...{ file: place.path, bytes, files },
        ...(target instanceof FolderWriter && { newFiles, newBytes, ...(target.unshared && { unshared: target.unshared }) }),
        ...(options.bucket && { inBucket: referred.size }),
        ...{ database, missing },
      };
    } finally {
      await clean();
    }
  } catch (error) {
    throw explained(error, place);
  }
}

/** What would be written now. The size excludes a database that is not a file. */
async function plan(location: DatabaseLocation, place: Place, portable: boolean, bucket: Bucket | undefined): Promise<Backup> {
  const { dataDir, driver } = location;
  const blobs = await blobsNow(location);
  const found = blobs.map((key) => ({ key, size: sizeOnDisk(dataDir, key) }));
  const elsewhere = found.filter(({ size }) => size === undefined).map(({ key }) => key);
  const wanted = new Set(elsewhere);
  const there = new Set<string>();
  if (bucket && elsewhere.length > 0)
    for await (const { key } of bucket.list(blobKinds.map((kind) => `${kind}/`))) if (wanted.has(key)) there.add(key);
  const missing = elsewhere.filter((key) => !there.has(key)).map((key) => `blobs/${key}`);
  const database = portable || !driver.file ? rowsOnly : driver.name;
  const databaseBytes = (driver.file && sizeOf(join(dataDir, driver.file.names[0]))) ?? 0;
  const here = found.filter(({ size }) => size !== undefined);
  const earlier = await earlierAt(place);
  const added = here.filter(({ key, size }) => !earlier || !hasFile(earlier, `blobs/${key}`, size));
  const bytesOf = (files: typeof here) => files.reduce((sum, { size }) => sum + size!, databaseBytes);
  return {
    ...{ file: place.path, bytes: bytesOf(here), files: here.length },
    ...(place.kind === "folder" && { newFiles: added.length, newBytes: bytesOf(added) }),
    ...(bucket && { inBucket: there.size }),
    ...{ database, missing, removed: [], location: reportLocation(location) },
  };
}

function explained(error: unknown, { kind, path }: Place): unknown {
  // SQLite writes its copy itself, with a code of its own.
  const full = (error as { code?: unknown }).code === "SQLITE_FULL";
  const given = full ? Object.assign(new Error("full"), { code: "ENOSPC" }) : error;
  if (kind === "stream") return error;
  const shortage = shortageOf(given, dirname(path));
  if (!shortage) return error;
  const { what, remedy } = shortage;
  const text = `The backup ${path} cannot be written: ${what}. What was written of it was removed. ${remedy} Or write to another disk.`;
  return new Error(text, { cause: error });
}
