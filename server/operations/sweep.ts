import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Deps } from "../app/deps.ts";
import type { Job } from "../jobs/job.ts";
import { dueStrays, findStrays, graceMs, isBlob } from "./strays.ts";
import { keepStrayBlobs, openUploadIds } from "./strays-store.ts";

const day = 86_400_000;

/** Starts the periodic removal of files that belong to nothing. Not used in a sandbox, as the removal of old rows. */
export const startSweep = (deps: Deps): Promise<void> =>
  deps.store.write((tx) => tx.schedule({ kind: "sweep-files", key: "all", payload: {}, runAt: tx.now }));

/**
 * Removes files that belong to nothing in the database: what a process left that was killed between two steps. Of several processes one
 * runs it. Ages are in real time.
 */
export async function sweepFiles(job: Job, deps: Deps): Promise<void> {
  const now = deps.clock.real();
  const { found, suspicious } = await deps.store.read((q) => findStrays(q, deps, now));
  // Their time begins when nothing is suspicious any more.
  const kept = suspicious ? [] : found.filter(isBlob).map(({ path }) => path);
  await deps.store.write((tx) => keepStrayBlobs(tx, kept, now));
  if (suspicious)
    deps.log.error(
      { files: found.length },
      "more than half of the stored files belong to nothing in the database, so none was removed: is this the right database? `playtest serve doctor` lists them",
    );
  else await remove(job, deps, dueStrays(found, now));
  await tidyRemote(deps);
  await deps.store.write((tx) => job.reschedule(tx, tx.now + day));
}

/** Forgets what can no longer reach the bucket, and ends uploads to it that were never completed: no list of files has those, and they cost. */
async function tidyRemote({ blobs, store, clock, log }: Deps): Promise<void> {
  const isOpen = async (ids: readonly string[]) =>
    ids.length === 0 ? new Set<string>() : new Set(await store.read((q) => openUploadIds(q)));
  await blobs.remote?.forgetLost();
  const removed = (await blobs.remote?.tidy(clock.real() - graceMs, isOpen)) ?? 0;
  if (removed > 0) log.info({ removed }, "removed unfinished uploads from the bucket");
}

async function remove(job: Job, deps: Deps, found: readonly { path: string; bytes: number }[]): Promise<void> {
  let [files, bytes] = [0, 0];
  for (const stray of found) {
    if (!job.isHeld() || deps.draining.aborted) return;
    const [folder, ...key] = stray.path.split("/");
    if (folder === "blobs") await deps.blobs.remove(key.join("/"));
    else await rm(join(deps.dataDir, stray.path), { recursive: true, force: true });
    files += 1;
    bytes += stray.bytes;
  }
  if (files > 0) deps.log.info({ files, bytes }, "removed files that belonged to nothing in the database");
}
