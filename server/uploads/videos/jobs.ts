import { mkdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { VideoFacts } from "../../../src/contract/files/inspect-video.ts";
import type { Deps } from "../../app/deps.ts";
import type { Tx } from "../../app/tx.ts";
import { withRoom } from "../../jobs/copying.ts";
import { type Job, RetryLater, unreadableAgainMs } from "../../jobs/job.ts";
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

/**
 * Looks at the videos of which nothing is known, the newest first. One that cannot be read right now, for instance because it still waits on
 * the disk of another process, is left for a later run, so that the others do not wait for it.
 */
export async function inspectVideos(job: Job, deps: Deps): Promise<void> {
  const left = new Set<string>();
  const next = (before?: uploads.UploadRow) => deps.store.read((q) => uploads.nextToInspect(q, before));
  for (let upload = await next(); upload; upload = await next(upload)) {
    if (deps.draining.aborted || !job.isHeld()) throw stopped(deps);
    const facts = await inspectUpload(deps, upload);
    if (facts) await record(deps, upload, facts);
    else left.add(upload.id);
  }
  await job.endUnless(async (tx) => {
    const first = await uploads.nextToInspect(tx);
    return first && tx.now + (left.has(first.id) ? unreadableAgainMs : 0);
  });
}

const stopped = ({ clock }: Deps) => new RetryLater(clock.now(), "the server was stopped during the inspection");

const record = (deps: Deps, upload: uploads.UploadRow, facts: VideoFacts) =>
  deps.store.write(async (tx) => {
    // Whoever submits the slot meanwhile must not miss it.
    playtests.lockOfSlot(tx, upload.slot_id!);
    await uploads.setFacts(tx, upload, JSON.stringify(facts), facts.durationMs);
  }, playtests.rowLocks);

/** Of a video that is lost, or no video. */
const unknown: VideoFacts = { type: null, tracks: [], durationMs: null, fault: null };

/** Undefined when the video cannot be read right now. */
async function inspectUpload(deps: Deps, upload: uploads.UploadRow): Promise<VideoFacts | undefined> {
  const path = join(deps.dataDir, "inspecting", fileIdOf(upload.id));
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  try {
    // A process that died meanwhile left it.
    await rm(path, { force: true });
    if (!(await deps.blobs.lend(uploads.blobKeyOf(upload), path, withRoom(deps)))) return unknown;
    return (await inspectStored(path, upload.user_id)) ?? unknown;
  } catch (error) {
    if (deps.draining.aborted) throw stopped(deps);
    deps.log.warn({ err: error, upload: upload.id }, "a video could not be inspected; it is tried again in an hour");
    return undefined;
  } finally {
    await rm(path, { force: true });
  }
}
