import type { Query } from "../database/port.ts";
import { blobKinds, referencedBlobs, waitingElsewhere } from "../uploads/blob-store.ts";
import type { Blobs } from "../uploads/blobs.ts";

/**
 * The keys of files that the database refers to but that are not stored, except those a running server removed meanwhile. Reads one list
 * of what is stored: to ask for each file would be one request each where a store is remote.
 */
export async function missingBlobs(q: Query, blobs: Pick<Blobs, "list">): Promise<string[]> {
  // Before the files are listed: what a running server stores meanwhile is not among them.
  const missing = new Set(await referencedBlobs(q));
  for await (const { key } of blobs.list(blobKinds)) missing.delete(key);
  if (missing.size === 0) return [];
  for (const key of await waitingElsewhere(q)) missing.delete(key);
  return (await referencedBlobs(q)).filter((key) => missing.has(key));
}
