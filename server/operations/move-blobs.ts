import { mkdir, open, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isSameAddress } from "../config/blobs-address.ts";
import type { DataLocationOptions } from "../config/data-location.ts";
import { ConfigError, readConfig } from "../config/read.ts";
import { requireBucketAddress } from "../config/serve-options.ts";
import { hasDatabase, locate } from "../database/drivers.ts";
import { blobKinds } from "../uploads/blob-store.ts";
import type { Blobs, StoredFile } from "../uploads/blobs.ts";
import { blobsBeside, configuredBucket } from "../uploads/configured-blobs.ts";
import { createLocalBlobs } from "../uploads/local-blobs.ts";
import { sha256Of } from "../uploads/remote/mover.ts";
import type { Bucket } from "../uploads/s3/bucket.ts";

export interface MoveBlobsOptions extends DataLocationOptions {
  /** The address of a bucket, or `disk`: the folder `blobs` of the data directory. */
  to: string;
  /** Current time in milliseconds. */
  now(): number;
  signal: AbortSignal;
  onProgress(step: string, done: number, total: number): void;
}

export interface MovedBlobs {
  from: string;
  to: string;
  files: number;
  bytes: number;
  /** Files that were there already. */
  there: number;
  /** Whether a setting names the bucket that they were moved to, so that the server reads them there. */
  used: boolean;
  /** Files that were removed from the disk, because the bucket is used. */
  removed: number;
}

interface Task {
  folder: string;
  disk: Blobs;
  /** All files of a server with that bucket, also those that wait on the disk, without those that it is to remove. */
  all: Blobs;
  bucket: Bucket;
}

/**
 * Copies all files between the data folder and a bucket, each checked by its SHA-256. Files never change, so the server may run and a
 * move that was interrupted goes on where it was. To a bucket that the server uses already, the files on the disk are removed once they
 * are there; otherwise nothing is.
 */
export async function moveBlobs(options: MoveBlobsOptions): Promise<MovedBlobs> {
  const location = locate(options);
  const { dataDir } = location;
  if (!hasDatabase(location))
    throw new ConfigError(`No playtest database found in ${dataDir}. Nothing was moved. Pass the data directory with --data.`);
  const config = await readConfig(options.env, dataDir, options.config);
  const toDisk = options.to === "disk";
  if (!toDisk) requireBucketAddress(options.to, "Nothing was moved.");
  const inUse = config.blobs.address;
  // Only what is on the disk is copied, and the server would no longer find what is in its bucket.
  if (!toDisk && inUse !== null && !isSameAddress(inUse, options.to))
    throw new ConfigError(
      `The server keeps its files in ${inUse}, and --to is another address. Nothing was moved. Move the files to the disk first (--to disk), or copy the bucket with a tool of its own and then set blobs.address.`,
    );
  const address = toDisk ? inUse : options.to;
  const bucket = await configuredBucket({ blobs: { ...config.blobs, address } }, { env: options.env, now: options.now });
  if (bucket === undefined)
    throw new ConfigError(
      "No setting names a bucket, so the files are on the disk already. Nothing was moved. If the server has its configuration elsewhere, pass it with --config.",
    );
  const folder = join(dataDir, "blobs");
  const disk = createLocalBlobs(folder);
  const task = { folder, disk, all: await blobsBeside(dataDir, bucket), bucket };
  const sum = toDisk
    ? await copyAll(task, task.all.list(blobKinds), fetchFile, options)
    : await copyAll(task, disk.list(blobKinds), sendFile, options);
  const used = !toDisk && inUse !== null;
  const removed = used ? await removeCopied(task) : 0;
  const [from, to] = toDisk ? [bucket.name, folder] : [folder, bucket.name];
  return { from, to, ...sum, used, removed };
}

async function copyAll(
  task: Task,
  list: AsyncIterable<StoredFile>,
  copy: (task: Task, file: StoredFile) => Promise<boolean>,
  { onProgress, signal }: MoveBlobsOptions,
): Promise<Pick<MovedBlobs, "files" | "bytes" | "there">> {
  const files: StoredFile[] = [];
  for await (const file of list) files.push(file);
  const total = files.reduce((sum, { size }) => sum + size, 0);
  const sum = { files: 0, bytes: 0, there: 0 };
  let done = 0;
  for (const file of files) {
    signal.throwIfAborted();
    const copied = await copy(task, file);
    sum.files += copied ? 1 : 0;
    sum.bytes += copied ? file.size : 0;
    sum.there += copied ? 0 : 1;
    done += file.size;
    onProgress("Copying", done, total);
  }
  return sum;
}

/** False when the bucket has it. The bucket checks each part by its hash. */
async function sendFile({ folder, bucket, disk }: Task, { key }: StoredFile): Promise<boolean> {
  const path = join(folder, key);
  // Removed by the server since the files were listed.
  if ((await disk.size(key)) === undefined) return false;
  const sha256 = await sha256Of(path);
  const there = await bucket.find(key);
  if (there?.sha256 === sha256) return false;
  if (there)
    throw new Error(`${bucket.name} has another file as ${key}. It was not replaced, and the files after it were not copied.`);
  await bucket.store(key, path, sha256);
  return true;
}

/** False when the disk has it. */
async function fetchFile({ folder, bucket, disk, all }: Task, { key, size }: StoredFile): Promise<boolean> {
  if ((await disk.size(key)) === size) return false;
  const part = join(folder, `${key}.part`);
  await mkdir(dirname(part), { recursive: true, mode: 0o700 });
  // What an earlier run left.
  await rm(part, { force: true });
  try {
    // Removed by the server since the files were listed.
    if (!(await all.lend(key, part))) return false;
    const [found, sha256] = [await bucket.find(key), await sha256Of(part)];
    if (found?.sha256 !== undefined && found.sha256 !== sha256)
      throw new Error(`${key} came from ${bucket.name} with the SHA-256 ${sha256} instead of ${found.sha256}. It was not kept.`);
    const file = await open(part);
    await file.sync().finally(() => file.close());
    await disk.put(key, part);
  } finally {
    await rm(part, { force: true });
  }
  return true;
}

async function removeCopied({ disk, bucket }: Task): Promise<number> {
  const sizes = new Map<string, number>();
  for await (const { key, size } of bucket.list(blobKinds.map((kind) => `${kind}/`))) sizes.set(key, size);
  let removed = 0;
  for await (const { key, size } of disk.list(blobKinds)) {
    if (sizes.get(key) !== size) continue;
    await disk.remove(key);
    removed += 1;
  }
  return removed;
}
