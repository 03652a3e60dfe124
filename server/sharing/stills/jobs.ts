import type { Deps } from "../../app/deps.ts";
import type { Tx } from "../../app/tx.ts";
import { type Query, StoreUnavailable } from "../../database/port.ts";
import { type Job, RetryLater, unreadableAgainMs } from "../../jobs/job.ts";
import { maxStillBytes, posterFor, queueStill } from "../../playtests/moments/stills.ts";
import * as store from "../../playtests/moments/stills-store.ts";
import * as clips from "../clips/store.ts";
import { type Cutting, cutOut } from "../cutting.ts";

/** What is cut for a still, without what is stored about it. */
const cuttingOf = (deps: Deps, row: store.StillRow): Pick<Cutting, "id" | "blobKeys" | "maxBytes" | "cut"> => ({
  id: row.id,
  blobKeys: [store.blobKeyOf(row), store.thumbnailKeyOf(row)],
  maxBytes: maxStillBytes,
  cut: async (cutter, at, [to, small]) => cutter.still(await at.video(row.slot_id), row.at_ms, to!, small!, deps.draining),
});

const sizesOf = ([size, thumbnail_size]: readonly number[]) => ({ size: size!, thumbnail_size: thumbnail_size! });

/** Cuts a still. */
export async function cutStill(job: Job, deps: Deps): Promise<void> {
  const row = await deps.store.read((q) => store.find(q, String(job.payload.stillId)));
  if (!row || row.status === "ready") return;
  const changed = () => ({ updated_at: deps.clock.now() });
  await cutOut(job, deps, {
    ...cuttingOf(deps, row),
    finish: (tx, sizes) => store.transitionFromAny(tx, row, "finish", { ...sizesOf(sizes), error: null, ...changed() }),
    fail: (tx, why) => store.transitionFromAny(tx, row, "fail", { size: 0, ...why, ...changed() }),
    end: job.done,
  });
}

/** Removes the file of a still that was deleted. */
export async function discardStill(job: Job, deps: Deps): Promise<void> {
  const id = String(job.payload.stillId);
  if (await deps.store.read((q) => store.find(q, id))) return;
  for (const key of [store.blobKeyOf({ id }), store.thumbnailKeyOf({ id })]) await deps.blobs.remove(key);
}

/** Queues the poster of a submitted video, for whoever sent it. Does nothing when no ffmpeg is configured. */
export async function queuePoster(deps: Deps, tx: Tx, slotId: string): Promise<void> {
  const source = deps.cutter && (await store.posterSource(tx, slotId));
  if (source) await queueStill(tx, posterFor(deps, source), source.playtester_id);
}

/** Queues the posters of all videos that were submitted before ffmpeg was configured, and of clips that have none. */
export const startPosters = async (deps: Deps): Promise<void> => {
  if (!deps.cutter) return;
  await deps.store.write((tx) => tx.schedule({ kind: "fill-posters", key: "all", payload: {}, runAt: tx.now }));
};

/** Stores a poster that was cut, unless its clip was deleted meanwhile. */
async function keep(tx: Query, row: store.StillRow): Promise<boolean> {
  if (row.clip_id !== null && !(await clips.find(tx, row.clip_id))) return false;
  await store.insert(tx, row);
  return true;
}

/**
 * Cuts one poster and comes back for the next, so that clips that are wanted meanwhile do not wait for all of them. One whose video cannot be
 * read right now is left for a later run.
 */
export async function fillPosters(job: Job, deps: Deps): Promise<void> {
  if (!deps.cutter) return;
  const left = new Set<string>();
  const next = (last?: store.PosterSource) => deps.store.read((q) => store.nextWithoutPoster(q, last));
  for (let source = await next(); source && job.isHeld(); source = await next(source)) {
    try {
      return await cutPoster(job, deps, source);
    } catch (error) {
      if (error instanceof RetryLater || error instanceof StoreUnavailable) throw error;
      deps.log.warn({ err: error, slot: source.slot_id }, "a poster could not be cut; it is tried again in an hour");
      left.add(source.id);
    }
  }
  await job.endUnless(async (tx) => {
    const first = await store.nextWithoutPoster(tx);
    return first && tx.now + (left.has(first.id) ? unreadableAgainMs : 0);
  });
}

async function cutPoster(job: Job, deps: Deps, source: store.PosterSource): Promise<void> {
  const row = posterFor(deps, source);
  await cutOut(job, deps, {
    ...cuttingOf(deps, row),
    finish: (tx, sizes) => keep(tx, { ...row, status: "ready", ...sizesOf(sizes) }),
    fail: (tx, why) => keep(tx, { ...row, status: "failed", size: 0, ...why }),
    end: (tx) => job.reschedule(tx, tx.now),
  });
}
