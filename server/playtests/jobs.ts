import type { Deps } from "../app/deps.ts";
import type { Job } from "../jobs/job.ts";
import { closePending } from "./applications/service.ts";
import { cancelUnpaid } from "./orders.ts";
import { remindHolder } from "./slots/reminders.ts";
import { windowOver } from "./slots/rules.ts";
import * as slots from "./slots/store.ts";
import { expire, expireUnfilled } from "./slots/transitions.ts";
import * as playtests from "./store.ts";
import { cancelUndecided, isUndecided } from "./trials.ts";

/** Reminds the playtester of a reserved slot before its deadline, and expires the slot then. */
export const watchSlot = (job: Job, deps: Deps) =>
  Number(job.payload.deadlineAt) > deps.clock.now() ? remindHolder(job, deps) : expireSlot(job, deps);

/** Expires a reserved slot whose deadline has passed. Does nothing when it was submitted or released, or has a later deadline. */
export const expireSlot = (job: Job, deps: Deps) =>
  deps.store.write(async (tx) => {
    playtests.lockOfSlot(tx, String(job.payload.slotId));
    const slot = await slots.find(tx, String(job.payload.slotId));
    if (slot && slots.isIn(slot, "reserved") && slot.deadline_at !== null && slot.deadline_at <= tx.now)
      await expire(tx, (await playtests.find(tx, slot.playtest_id))!, slot);
    await job.done(tx);
  }, playtests.rowLocks);

/** Cancels an order that was not paid in time. */
export const expireOrder = (job: Job, deps: Deps) =>
  deps.store.write(async (tx) => {
    const playtest = await playtests.find(tx, String(job.payload.playtestId));
    if (playtest && playtests.isIn(playtest, "pending_payment")) await cancelUnpaid(tx, playtest);
    await job.done(tx);
  });

/**
 * Closes a playtest whose review window ended or whose fixed time came: expires open slots, or cancels those of a trial that no admin decided on,
 * and rejects pending applications automatically. Does nothing before it: the playtest was moved to a later time, for which there is another job.
 */
export const closeWindow = (job: Job, deps: Deps) =>
  deps.store.write(async (tx) => {
    playtests.lock(tx, String(job.payload.playtestId));
    const playtest = (await playtests.find(tx, String(job.payload.playtestId)))!;
    if (!windowOver(playtest, tx.now)) return job.done(tx);
    await (isUndecided(playtest) ? cancelUndecided : expireUnfilled)(tx, playtest);
    await closePending(tx, playtest, playtest.closes_at!);
    await job.done(tx);
  }, playtests.rowLocks);
