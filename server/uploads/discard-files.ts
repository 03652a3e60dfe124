import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Deps } from "../app/deps.ts";
import type { Discarded } from "../jobs/discard-files.ts";
import type { Job } from "../jobs/job.ts";
import { fileIdOf } from "../lib/row-file.ts";
import { filesIn } from "./local-blobs.ts";
import { folderOf, uploadOf } from "./store.ts";

/** Removes the files. Safe to repeat: no other row ever refers to a file under the same name. */
export async function discardFiles(job: Job, deps: Deps): Promise<void> {
  const { blobs, uploads, mails } = job.payload as unknown as Discarded;
  // First the files that a request in progress could still store.
  if (uploads.length > 0) await removeUploads(deps.dataDir, new Set(uploads));
  for (const id of uploads) await deps.blobs.remote?.unfinished.remove(id);
  for (const key of blobs) await deps.blobs.remove(key);
  for (const id of mails) await rm(join(deps.dataDir, "outbox", `${fileIdOf(id)}.eml`), { force: true });
}

/** Removes the bytes of unfinished uploads, of every generation. */
async function removeUploads(dataDir: string, ids: ReadonlySet<string>): Promise<void> {
  const folder = folderOf(dataDir);
  for await (const { name } of filesIn(folder)) if (ids.has(uploadOf(name))) await rm(join(folder, name), { force: true });
}
