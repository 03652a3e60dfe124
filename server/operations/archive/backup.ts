import { existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { basename, dirname, extname, join, resolve } from "node:path";
import type { DataLocationOptions, LocationReport } from "../../config/data-location.ts";
import { findInstanceKey } from "../../config/instance-key.ts";
import { ConfigError } from "../../config/read.ts";
import { type DatabaseLocation, hasDatabase, locate, reportLocation } from "../../database/drivers.ts";
import { flush } from "../../uploads/local-blobs.ts";
import { blobsNow } from "./capture.ts";
import { type Manifest, rowsOnly } from "./contents.ts";
import { Packing, sizeOf } from "./pack.ts";
import type { OnProgress } from "./progress.ts";

export interface BackupOptions extends DataLocationOptions {
  /** A file to make, or a folder to make one in. */
  target: string;
  /** Rows that fit every database, instead of its file. */
  portable: boolean;
  /** Replace a file that is there. */
  force: boolean;
  /** How many to leave in the folder, this one counted; undefined: all. */
  keep?: number | undefined;
  /** Only look what would be written. */
  dryRun: boolean;
  version: string;
  /** Milliseconds. */
  now: number;
  onProgress: OnProgress;
}

export interface Backup {
  file: string;
  bytes: number;
  files: number;
  database: Manifest["database"];
  /** Files that a row tells of and that the server has lost. */
  missing: string[];
  /** Older ones of the folder that went. */
  removed: string[];
  location: LocationReport;
}

/**
 * Writes a whole copy of a running or stopped server into one private file, which gets its name only when everything is in it and was
 * checked. Everything that was answered before it began is in it. Throws ConfigError for a target or a server that cannot be.
 */
export async function backup(options: BackupOptions): Promise<Backup> {
  const location = locate(options);
  const key = findInstanceKey(options.env.PLAYTEST_SECRET_KEY, location.dataDir);
  if (key === undefined)
    throw new ConfigError(
      `There is no server in ${location.dataDir}: it has no instance.key, and PLAYTEST_SECRET_KEY is not set. Nothing was written. Name the folder with --data.`,
    );
  if (!hasDatabase(location))
    throw new ConfigError(
      `There is no playtest database in ${location.dataDir}. Nothing was written. Name its folder with --data, or a PostgreSQL database with --database-url.`,
    );
  const file = await targetOf(options);
  if (options.dryRun) return plan(location, file, options.portable);
  const part = join(dirname(file), `.${basename(file)}.part`);
  try {
    const handle = await open(part, "w", 0o600);
    const packed = new Packing(handle, { ...options, location, scratch: `${part}.database` });
    try {
      await packed.everything(key);
    } finally {
      await handle.close();
    }
    await rename(part, file);
    await flush(dirname(file));
    const { files, database, missing } = packed;
    const removed = await removeOlder(options, file);
    return { file, bytes: statSync(file).size, files, database, missing, removed, location: reportLocation(location) };
  } catch (error) {
    throw explained(error, file);
  } finally {
    for (const name of readdirSync(dirname(file))) if (name.startsWith(basename(part))) await rm(join(dirname(file), name));
  }
}

const day = 86_400_000;

/** Removes what `keep` says and what a killed run left behind; its names tell what this command made, and no other file is touched. */
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

/** What would be written now; of a database that is no file the size is not known. */
async function plan(location: DatabaseLocation, file: string, portable: boolean): Promise<Backup> {
  const { dataDir, driver } = location;
  const blobs = await blobsNow(location);
  const sizes = blobs.map((key) => sizeOf(join(dataDir, "blobs", key)));
  const missing = blobs.filter((_, at) => sizes[at] === undefined).map((key) => `blobs/${key}`);
  const database = portable || !driver.file ? rowsOnly : driver.name;
  const bytes = sizes.reduce<number>(
    (sum, size) => sum + (size ?? 0),
    (driver.file && sizeOf(join(dataDir, driver.file.names[0]))) ?? 0,
  );
  const files = blobs.length - missing.length;
  return { file, bytes, files, database, missing, removed: [], location: reportLocation(location) };
}

/** A name without an ending is a folder's, which is made: else the first backup would be a file where the next ones find no folder. */
async function targetOf({ target, portable, force, keep, now, dryRun }: BackupOptions): Promise<string> {
  const path = resolve(target);
  const found = statSync(path, { throwIfNoEntry: false });
  if (keep !== undefined && found && !found.isDirectory())
    throw new ConfigError(`--keep is for a folder, and ${path} is none. Nothing was written.`);
  const isFolder = keep !== undefined || (found ? found.isDirectory() : extname(path) === "");
  if (isFolder && !dryRun) mkdirSync(path, { recursive: true, mode: 0o700 });
  const stamp = new Date(now).toISOString().replace(/[-:]|\.\d+/g, "");
  const file = isFolder ? join(path, `playtest-${portable ? "export-" : ""}${stamp}.tar`) : path;
  if (!isFolder && !existsSync(dirname(file))) throw new ConfigError(`There is no folder ${dirname(file)}. Nothing was written.`);
  if (existsSync(file) && !force)
    throw Object.assign(new ConfigError(`${file} is there already; it was not changed. Replace it with --force.`), {
      exitCode: 6,
    });
  return file;
}

function explained(error: unknown, file: string): unknown {
  const code = (error as NodeJS.ErrnoException).code;
  if (code !== "ENOSPC" && code !== "EDQUOT") return error;
  return new Error(`There is no room for ${file}. Nothing was kept of it. Free some, or name a place on another disk.`, {
    cause: error,
  });
}
