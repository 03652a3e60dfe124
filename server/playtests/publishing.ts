import type { Tx } from "../app/tx.ts";
import { conflict } from "../lib/api-error.ts";
import { pay, rejectForGood, schedulePublishing } from "./slots/review.ts";
import * as slots from "./slots/store.ts";
import { finishPlaytest } from "./slots/transitions.ts";
import type { PlaytestRow } from "./store.ts";
import * as playtests from "./store.ts";

/** Publishing the video of a public playtest, and an admin's decision on it. */

/** Records that the video of an accepted public slot was published at `url`: the slot becomes `accepted` and the playtester is paid. */
export async function published(tx: Tx, playtest: PlaytestRow, slot: slots.SlotRow, url: string): Promise<void> {
  const now = tx.now;
  if (!slots.isIn(slot, "publishing") || !(await slots.tryTransition(tx, slot, "finish", { ended_at: now }))) return;
  await slots.markPublished(tx, slot.id, url, now);
  await pay(tx, playtest, slot);
  await finishPlaytest(tx, playtest);
}

/** An admin approves the video of a free trial, before or after the owner accepts the submission. 409 when no video waits for approval. */
export async function approveVideo(tx: Tx, playtest: PlaytestRow, slot: slots.SlotRow): Promise<void> {
  if (playtest.is_free_public_trial === 0) throw notWaiting();
  playtests.lock(tx, playtest.id);
  const unpublished = requireUnpublished(playtest, slot);
  if (!(await slots.markApproved(tx, slot.id, tx.now))) throw notWaiting();
  if (unpublished.status === "publishing") await schedulePublishing(tx, slot.id);
}

/** An admin refuses to publish a video, whether or not the owner accepted it: the slot is rejected without a retry. */
export async function rejectVideo(tx: Tx, playtest: PlaytestRow, slot: slots.SlotRow, reason: string): Promise<void> {
  playtests.lock(tx, playtest.id);
  const unpublished = requireUnpublished(playtest, slot);
  if ((await slots.submissionOf(tx, slot.id))?.admin_approved_at !== null) throw notWaiting();
  await rejectForGood(tx, playtest, unpublished, { reason, byOperator: true });
}

function requireUnpublished(playtest: PlaytestRow, slot: slots.SlotRow): slots.SlotIn<"submitted" | "publishing"> {
  if (playtest.visibility === "public" && slots.isIn(slot, "submitted", "publishing")) return slot;
  throw notWaiting();
}

const notWaiting = () => conflict("This slot has no video waiting for approval. Nothing was changed.");
