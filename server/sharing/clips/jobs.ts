import type { Deps } from "../../app/deps.ts";
import type { Job } from "../../jobs/job.ts";
import { cutOut } from "../cutting.ts";
import { cutReel } from "../reels/film.ts";
import * as store from "./store.ts";

/** Cuts a clip. */
export async function cutClip(job: Job, deps: Deps): Promise<void> {
  const row = await deps.store.read((q) => store.find(q, String(job.payload.clipId)));
  if (!row || row.status === "ready") return;
  const changed = () => ({ updated_at: deps.clock.now() });
  await cutOut(job, deps, {
    id: row.id,
    blobKeys: [store.blobKeyOf(row)],
    maxBytes: deps.config.clips.maxBytes,
    cut: async (cutter, at, [to]) => {
      if (row.captions !== null) return cutReel(deps, row, { cutter, at, to: to! });
      return cutter.clip(await at.video(row.slot_id), { atMs: row.at_ms, endMs: row.end_ms }, to!, deps.draining);
    },
    finish: (tx, [size]) => store.transitionFromAny(tx, row, "finish", { size: size!, error: null, ...changed() }),
    fail: (tx, why) => store.transitionFromAny(tx, row, "fail", { size: 0, ...why, ...changed() }),
    end: job.done,
  });
}

/** Removes the file of a clip that was deleted. */
export async function discardClip(job: Job, deps: Deps): Promise<void> {
  const id = String(job.payload.clipId);
  if (!(await deps.store.read((q) => store.find(q, id)))) await deps.blobs.remove(store.blobKeyOf({ id }));
}
