import { join } from "node:path";
import type { Query } from "../database/port.ts";
import { referencedBlobs } from "./blob-store.ts";
import { createLocalBlobs } from "./local-blobs.ts";

/** The keys of files that rows tell of and that are not in the data folder. What a running server removed meanwhile is not among them. */
export async function missingBlobs(q: Query, dataDir: string): Promise<string[]> {
  const blobs = createLocalBlobs(join(dataDir, "blobs"));
  const lost: string[] = [];
  for (const key of await referencedBlobs(q)) if ((await blobs.size(key)) === undefined) lost.push(key);
  if (lost.length === 0) return lost;
  const still = new Set(await referencedBlobs(q));
  return lost.filter((key) => still.has(key));
}
