import type { Tx } from "../app/tx.ts";
import { conflict } from "../lib/api-error.ts";
import { publish, withdrawRejected } from "./publications/service.ts";
import { rejectForGood } from "./slots/review.ts";
import * as slots from "./slots/store.ts";
import type { PlaytestRow } from "./store.ts";
import * as playtests from "./store.ts";

/** An admin's decision on the video of a public playtest. */

/** An admin approves the video of a free trial, before or after the owner accepts the submission. 409 when no video waits for approval. */
export async function approveVideo(tx: Tx, playtest: PlaytestRow, slot: slots.SlotRow): Promise<void> {
  if (playtest.is_free_public_trial === 0) throw notWaiting();
  playtests.lock(tx, playtest.id);
  const unpublished = requireUnpublished(playtest, slot);
  if (!(await slots.markApproved(tx, slot.id, tx.now))) throw notWaiting();
  if (unpublished.status === "publishing") await publish(tx, slot);
}

/** An admin refuses to publish a video, whether or not the owner accepted it: the slot is rejected without a retry. */
export async function rejectVideo(tx: Tx, playtest: PlaytestRow, slot: slots.SlotRow, reason: string): Promise<void> {
  playtests.lock(tx, playtest.id);
  const unpublished = requireUnpublished(playtest, slot);
  if ((await slots.submissionOf(tx, slot.id))?.admin_approved_at !== null) throw notWaiting();
  await withdrawRejected(tx, slot.id, reason);
  await rejectForGood(tx, playtest, unpublished, { reason, byOperator: true });
}

function requireUnpublished(playtest: PlaytestRow, slot: slots.SlotRow): slots.SlotIn<"submitted" | "publishing"> {
  if (playtest.visibility === "public" && slots.isIn(slot, "submitted", "publishing")) return slot;
  throw notWaiting();
}

const notWaiting = () => conflict("This slot has no video waiting for approval. Nothing was changed.");
