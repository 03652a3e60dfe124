import { existsSync, readdirSync, statSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { basename, dirname, extname, join, resolve } from "node:path";
import { shortageOf } from "../../../src/contract/text/shortages.ts";
import type { DataLocationOptions, LocationReport } from "../../config/data-location.ts";
import { findInstanceKey } from "../../config/instance-key.ts";
import { ConfigError, readConfig } from "../../config/read.ts";
import { type DatabaseLocation, hasDatabase, locate, reportLocation } from "../../database/drivers.ts";
import { makeFolder } from "../../lib/folders.ts";
import { blobKinds } from "../../uploads/blob-store.ts";
import { configuredBucket } from "../../uploads/configured-blobs.ts";
import { flush } from "../../uploads/local-blobs.ts";
import type { Bucket } from "../../uploads/s3/bucket.ts";
import { blobsNow } from "./capture.ts";
import { type Manifest, rowsOnly } from "./contents.ts";
import type { OnProgress } from "./progress.ts";
import { ArchiveWriter, sizeOf } from "./write.ts";

export interface BackupOptions extends DataLocationOptions {
  /** The file to create, or the folder to create it in. */
  target: string;
  /** Write the rows in a form that any database can load, instead of the database file. */
  portable: boolean;
  /** Replace an existing file. */
  force: boolean;
  /** How many backups to keep in the folder, including this one. Undefined: all. */
  keep?: number | undefined;
  /** Only report what would be written. */
  dryRun: boolean;
  version: string;
  /** Current time in milliseconds. */
  now: number;
  onProgress: OnProgress;
}

export interface Backup {
  file: string;
  bytes: number;
  files: number;
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
 * Writes a complete copy of a running or stopped server to one private file, which gets its name only after everything in it was
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
  const file = await targetOf(options);
  const { env, now } = options;
  const bucket = await configuredBucket(await readConfig(env, location.dataDir, undefined), { env, now: () => now });
  if (options.dryRun) return plan(location, file, options.portable, bucket);
  const part = join(dirname(file), `.${basename(file)}.part`);
  try {
    const handle = await open(part, "w", 0o600);
    const writer = new ArchiveWriter(handle, { ...options, location, bucket, scratch: `${part}.database` });
    try {
      await writer.writeAll(key);
    } finally {
      await handle.close();
    }
    await rename(part, file);
    await flush(dirname(file));
    const { files, database, missing, referred } = writer;
    const removed = await removeOlder(options, file);
    return {
      file,
      bytes: statSync(file).size,
      files,
      ...(bucket && { inBucket: referred.size }),
      database,
      missing,
      removed,
      location: reportLocation(location),
    };
  } catch (error) {
    throw explained(error, file);
  } finally {
    for (const name of readdirSync(dirname(file))) if (name.startsWith(basename(part))) await rm(join(dirname(file), name));
  }
}

const day = 86_400_000;

/** Removes backups beyond `keep` and the partial files of killed runs. Touches only files that are named as this command names them. */
async function removeOlder({ keep, portable, now }: BackupOptions, file: string): Promise<string[]> {
  if (keep === undefined) return [];
  const folder = dirname(file);
  const names = readdirSync(folder);
  const ours = portable ? /^playtest-export-\d{8}T\d{6}Z\.tar$/ : /^playtest-\d{8}T\d{6}Z\.tar$/;
  const others = names.filter((name) => ours.test(name) && name !== basename(file)).sort();
  const old = others.slice(0, Math.max(0, others.length + 1 - keep));
  const parts = names.filter((name) => /^\.playtest-(export-)?\d{8}T\d{6}Z\.tar\.part/.test(name));
  const left = parts.filter((name) => statSync(join(folder, name)).mtimeMs < now - day);
  for (const name of [...old, ...left]) await rm(join(folder, name));
  return old.map((name) => join(folder, name));
}

/** What would be written now. The size excludes a database that is not a file. */
async function plan(location: DatabaseLocation, file: string, portable: boolean, bucket: Bucket | undefined): Promise<Backup> {
  const { dataDir, driver } = location;
  const blobs = await blobsNow(location);
  const sizes = blobs.map((key) => sizeOf(join(dataDir, "blobs", key)) ?? sizeOf(join(dataDir, "storing", key)));
  const elsewhere = blobs.filter((_, at) => sizes[at] === undefined);
  const wanted = new Set(elsewhere);
  const there = new Set<string>();
  if (bucket && elsewhere.length > 0)
    for await (const { key } of bucket.list(blobKinds.map((kind) => `${kind}/`))) if (wanted.has(key)) there.add(key);
  const missing = elsewhere.filter((key) => !there.has(key)).map((key) => `blobs/${key}`);
  const database = portable || !driver.file ? rowsOnly : driver.name;
  const bytes = sizes.reduce<number>(
    (sum, size) => sum + (size ?? 0),
    (driver.file && sizeOf(join(dataDir, driver.file.names[0]))) ?? 0,
  );
  const files = blobs.length - elsewhere.length;
  return {
    file,
    bytes,
    files,
    ...(bucket && { inBucket: there.size }),
    database,
    missing,
    removed: [],
    location: reportLocation(location),
  };
}

/** A target without a file extension is a folder and is created: otherwise the first backup would become a file of that name. */
async function targetOf({ target, portable, force, keep, now, dryRun }: BackupOptions): Promise<string> {
  const path = resolve(target);
  const found = statSync(path, { throwIfNoEntry: false });
  if (keep !== undefined && found && !found.isDirectory())
    throw new ConfigError(`--keep can only be used with a folder, and ${path} is not one. Nothing was written.`);
  const isFolder = keep !== undefined || (found ? found.isDirectory() : extname(path) === "");
  if (isFolder && !dryRun) makeFolder(path);
  const stamp = new Date(now).toISOString().replace(/[-:]|\.\d+/g, "");
  const file = isFolder ? join(path, `playtest-${portable ? "export-" : ""}${stamp}.tar`) : path;
  if (!isFolder && !existsSync(dirname(file)))
    throw new ConfigError(`The folder ${dirname(file)} does not exist. Nothing was written. Create it first.`);
  if (existsSync(file) && !force)
    throw Object.assign(new ConfigError(`${file} already exists and was not changed. Pass --force to replace it.`), {
      exitCode: 6,
    });
  return file;
}

function explained(error: unknown, file: string): unknown {
  // SQLite writes its copy itself, with a code of its own.
  const full = (error as { code?: unknown }).code === "SQLITE_FULL";
  const shortage = shortageOf(full ? Object.assign(new Error("full"), { code: "ENOSPC" }) : error, dirname(file));
  if (!shortage) return error;
  const { what, remedy } = shortage;
  const text = `The backup ${file} cannot be written: ${what}. Its partial file was removed. ${remedy} Or write to another disk.`;
  return new Error(text, { cause: error });
}
