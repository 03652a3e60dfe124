import { join } from "node:path";
import type { Config } from "../config/schema.ts";
import type { Blobs } from "./blobs.ts";
import { createLocalBlobs } from "./local-blobs.ts";
import type { Bucket } from "./s3/bucket.ts";
import type { OpenOptions } from "./s3/open.ts";

/** The bucket of the configuration; undefined where files are kept in the data folder. What speaks to buckets is loaded only for one. */
export async function configuredBucket({ blobs }: Pick<Config, "blobs">, options: OpenOptions): Promise<Bucket | undefined> {
  if (blobs.address === null) return undefined;
  const { openBucket } = await import("./s3/open.ts");
  return openBucket(blobs.address, options);
}

/** The files of a server, for a command beside it. */
export async function blobsBeside(dataDir: string, bucket: Bucket | undefined): Promise<Blobs> {
  return bucket === undefined ? createLocalBlobs(join(dataDir, "blobs")) : (await remote()).watchedBlobs(dataDir, bucket);
}

const remote = () => import("./remote/open.ts");

/** What a running server stores files with. */
export async function serverBlobs(
  dataDir: string,
  bucket: Bucket | undefined,
  parts: Parameters<Awaited<ReturnType<typeof remote>>["openRemoteBlobs"]>[2],
): Promise<Blobs> {
  return bucket === undefined
    ? createLocalBlobs(join(dataDir, "blobs"))
    : (await remote()).openRemoteBlobs(dataDir, bucket, parts);
}
