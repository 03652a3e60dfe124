import { join } from "node:path";
import type { Query } from "../database/port.ts";
import { referencedBlobs } from "../uploads/blob-store.ts";
import { createLocalBlobs } from "../uploads/local-blobs.ts";

/** The keys of files that the database refers to but that are not in the data folder, except those a running server removed meanwhile. */
export async function missingBlobs(q: Query, dataDir: string): Promise<string[]> {
  const blobs = createLocalBlobs(join(dataDir, "blobs"));
  const missing: string[] = [];
  for (const key of await referencedBlobs(q)) if ((await blobs.size(key)) === undefined) missing.push(key);
  if (missing.length === 0) return missing;
  const stillReferenced = new Set(await referencedBlobs(q));
  return missing.filter((key) => stillReferenced.has(key));
}
