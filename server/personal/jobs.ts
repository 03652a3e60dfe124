import * as users from "../accounts/users-store.ts";
import type { Deps } from "../app/deps.ts";
import type { Job } from "../jobs/job.ts";
import * as search from "../search/store.ts";
import { removeClipsOf } from "../sharing/clips/service.ts";
import { removeStillsOf } from "../sharing/stills/service.ts";
import { eraseRows } from "./erase-store.ts";
import { removeWork } from "./work.ts";
import { hasVideosLeft, videoMs } from "./work-store.ts";

const day = 86_400_000;

/**
 * Removes what was kept of a deleted account for a time: the videos of its orders. Also whatever an earlier version, which removed less,
 * or a restored backup left of it.
 */
export async function finishDeletion(job: Job, deps: Deps): Promise<void> {
  const id = String(job.payload.userId);
  await deps.store.write(async (tx) => {
    const user = await users.find(tx, id);
    if (user?.deleted_at == null) return job.done(tx);
    const now = tx.now;
    await removeClipsOf(tx, id);
    await removeStillsOf(tx, id);
    search.removeOwner(tx, id);
    await search.removeName(tx, id);
    await eraseRows(tx, id);
    await removeWork(tx, id);
    if (!(await hasVideosLeft(tx, id))) return job.done(tx);
    // A video that is being published when its time is over is looked at again a day later.
    await job.reschedule(tx, Math.max(user.deleted_at + videoMs, now + day));
  });
}
