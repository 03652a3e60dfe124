import type { Tx } from "../app/tx.ts";
import { scheduleDiscardFiles } from "../jobs/discard-files.ts";
import * as findings from "../playtests/findings/store.ts";
import { removeStill } from "../playtests/moments/stills.ts";
import * as search from "../search/store.ts";
import { removeClip } from "../sharing/clips/service.ts";
import { blobKeyOf } from "../uploads/store.ts";
import * as writers from "../uploads/writers/store.ts";
import * as store from "./work-store.ts";

/**
 * Removes what a deleted account made and nobody may keep, and the files after the commit: builds, unfinished uploads, transcripts, videos
 * that were not paid, and those of an owner once their playtesters had the time to save them. Can be repeated.
 */
export async function removeWork(tx: Tx, userId: string): Promise<void> {
  const blobs = [...(await store.removeBuilds(tx, userId)), ...(await store.removeTranscripts(tx, userId))];
  const uploads: store.UploadId[] = [];
  for (const slotId of await store.slotsOver(tx, userId, tx.now)) {
    const { clips, stills } = await store.cuttingsOf(tx, slotId);
    for (const id of clips) await removeClip(tx, id);
    for (const id of stills) await removeStill(tx, id);
    await search.remove(tx, slotId, {});
    await findings.removeQuotes(tx, slotId);
    const removed = await store.removeSubmission(tx, slotId);
    blobs.push(...removed.keys);
    uploads.push(...removed.uploads);
  }
  uploads.push(...(await store.removeUploads(tx, userId)));
  for (const { id } of uploads) await writers.revoke(tx, id);
  await store.removeUnheard(tx, userId);
  const finished = uploads.map(blobKeyOf);
  const unique = [...new Set([...blobs, ...finished])];
  await scheduleDiscardFiles(tx, { blobs: unique, uploads: uploads.map(({ id }) => id) });
}
