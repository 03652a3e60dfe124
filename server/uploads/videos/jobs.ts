import { mkdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { VideoFacts } from "../../../src/contract/files/inspect-video.ts";
import type { Deps } from "../../app/deps.ts";
import type { Tx } from "../../app/tx.ts";
import { NoRoom, withRoom } from "../../jobs/copying.ts";
import { type Job, RetryLater } from "../../jobs/job.ts";
import { fileIdOf } from "../../lib/row-file.ts";
import * as playtests from "../../playtests/store.ts";
import * as uploads from "../store.ts";
import { inspectStored } from "./inspect.ts";

/** Queues a look at the stored videos of which nothing is known. */
export const queueInspection = (tx: Tx): Promise<unknown> =>
  tx.schedule({ kind: "inspect-videos", key: "all", payload: {}, runAt: tx.now });

/** Queues a look at videos that were stored before servers looked at them. */
export async function startInspecting(deps: Deps): Promise<void> {
  if (await deps.store.read(uploads.nextToInspect)) await deps.store.write((tx) => queueInspection(tx));
}

/** Looks at one video and comes back for the next. */
export async function inspectVideos(job: Job, deps: Deps): Promise<void> {
  const upload = await deps.store.read(uploads.nextToInspect);
  if (!upload) return job.endUnless(async (tx) => ((await uploads.nextToInspect(tx)) ? tx.now : undefined));
  const facts = await inspectUpload(deps, upload);
  await deps.store.write(async (tx) => {
    // Whoever submits the slot meanwhile must not miss it.
    playtests.lockOfSlot(tx, upload.slot_id!);
    await uploads.setFacts(tx, upload, JSON.stringify(facts ?? unknown), facts?.durationMs ?? null);
    await job.reschedule(tx, tx.now);
  }, playtests.rowLocks);
}

/** Of a video that cannot be read. */
const unknown: VideoFacts = { type: null, tracks: [], durationMs: null, fault: null };

async function inspectUpload(deps: Deps, upload: uploads.UploadRow): Promise<VideoFacts | null> {
  const path = join(deps.dataDir, "inspecting", fileIdOf(upload.id));
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  try {
    // A process that died meanwhile left it.
    await rm(path, { force: true });
    if (!(await deps.blobs.lend(uploads.blobKeyOf(upload), path, withRoom(deps)))) return null;
    return await inspectStored(path, upload.user_id);
  } catch (error) {
    if (deps.draining.aborted) throw new RetryLater(deps.clock.now(), "the server was stopped during the inspection");
    // The others must not wait for it.
    if (!(error instanceof NoRoom)) throw error;
    deps.log.warn({ err: error, upload: upload.id }, "a video was not inspected");
    return null;
  } finally {
    await rm(path, { force: true });
  }
}
