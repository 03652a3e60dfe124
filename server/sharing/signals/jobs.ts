import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Deps } from "../../app/deps.ts";
import type { Tx } from "../../app/tx.ts";
import { type Job, RetryLater } from "../../jobs/job.ts";
import { ProgramFailed } from "../../lib/program.ts";
import { fileIdOf } from "../../lib/row-file.ts";
import { queueIndexing } from "../../search/queue.ts";
import type { Lent } from "../../uploads/blobs.ts";
import type { UploadRow } from "../../uploads/store.ts";
import { blobKeyOf } from "../../uploads/store.ts";
import { type Signals, usableOf } from "./rules.ts";
import * as store from "./store.ts";

/** Queues the measurement of a video that was uploaded, for whoever sent it. Does nothing when no ffmpeg is configured. */
export async function queueMeasuring(deps: Deps, tx: Tx, upload: UploadRow): Promise<void> {
  const slotId = upload.slot_id;
  if (!deps.meter || slotId === null) return;
  const times = { created_at: tx.now, updated_at: tx.now };
  const none = { error: null, loudness: null, motion: null, luma: null, picture_percent: null, sound_percent: null };
  await store.replace(tx, { slot_id: slotId, blob_key: blobKeyOf(upload), status: "pending", ...none, ...times });
  const payload = { slotId, uploadId: upload.id, contentType: upload.filetype };
  await tx.schedule({ kind: "measure-video", key: upload.id, payload, account: upload.user_id, runAt: tx.now });
}

const written = (series: readonly number[] | null) => (series === null ? null : JSON.stringify(series));

/**
 * Measures a video. When the program fails, only this fails. When the last try fails for any other reason, it fails with the job, which an
 * operator can run again. When the server stops meanwhile, the next one starts it again.
 */
export async function measureVideo(job: Job, deps: Deps): Promise<void> {
  const { slotId, uploadId, contentType } = job.payload as Record<string, string>;
  const row = await deps.store.read((q) => store.find(q, slotId!));
  if (!row || row.status === "ready" || row.blob_key !== blobKeyOf({ kind: "video", id: uploadId! })) return;
  const end = (changes: Partial<store.SignalsRow>, done?: Job["done"]) =>
    deps.store.write(async (tx) => {
      await store.end(tx, row, { ...changes, updated_at: tx.now });
      // What a transcript has over silence is not searched.
      if (changes.status === "ready") await queueIndexing(tx, { what: "transcript", slotId: row.slot_id });
      await done?.(tx);
    });
  const failed = (error: string) => ({ status: "failed", error: error.replaceAll("\0", "").slice(0, 1000) }) as const;
  try {
    const signals = await measure(deps, job, row.blob_key, fileIdOf(uploadId!), contentType ?? "");
    const { picture, sound } = usableOf(signals);
    const series = { loudness: written(signals.loudness), motion: written(signals.motion), luma: written(signals.luma) };
    await end({ status: "ready", error: null, ...series, picture_percent: picture, sound_percent: sound }, job.done);
  } catch (error) {
    if (deps.draining.aborted) throw new RetryLater(deps.clock.now(), "the server was stopped while it measured a video");
    if (!(error instanceof ProgramFailed)) {
      if (job.isLast) await end(failed(String(error)));
      throw error;
    }
    deps.log.warn({ err: error, blobKey: row.blob_key }, "could not measure a video");
    await end(failed(error.message), job.done);
  }
}

/** Gives the video a generated name, so that the playtester's file name never reaches the program. */
async function measure(deps: Deps, job: Job, blobKey: string, fileId: string, contentType: string): Promise<Signals> {
  const folderOf = (attempt: number) => join(deps.dataDir, "clipping", `${fileId}.${attempt}`);
  const folder = folderOf(job.attempts);
  if (!deps.meter) throw new ProgramFailed("no ffmpeg is configured anymore");
  let lent: Lent | undefined;
  try {
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const path = join(folder, "video");
    lent = await deps.blobs.offer(blobKey, path);
    if (!lent) throw new ProgramFailed("the file of the video is missing");
    const { source, protocols } = lent;
    return await deps.meter.measure({ path: source, protocols, contentType, lengthMs: null }, folder, deps.draining);
  } finally {
    await lent?.close();
    // A process that died during an earlier attempt left its folder.
    for (let attempt = job.attempts; attempt > 0; attempt--) await rm(folderOf(attempt), { recursive: true, force: true });
  }
}
