import type { Deps } from "../app/deps.ts";
import type { Query } from "../database/port.ts";
import { conflict } from "../lib/problem.ts";
import { pay, rejectForGood, schedulePublishing } from "./slots/review.ts";
import * as slots from "./slots/store.ts";
import { finishPlaytest } from "./slots/transitions.ts";
import type { PlaytestRow } from "./store.ts";

/** What happens to the video of a public playtest after its submission. */

/** The video of an accepted public slot is out at `url`: the slot is accepted and paid. */
export async function published(deps: Deps, tx: Query, playtest: PlaytestRow, slot: slots.SlotRow, url: string): Promise<void> {
  const now = deps.clock.now();
  if (!slots.isIn(slot, "publishing") || !(await slots.tryTransition(tx, slot, "finish", { ended_at: now }))) return;
  await slots.markPublished(tx, slot.id, url, now);
  await pay(deps, tx, playtest, slot);
  await finishPlaytest(deps, tx, playtest);
}

/** An admin lets a free trial's video through, before or after its owner accepts. 409 when none waits for that. */
export async function approveVideo(deps: Deps, tx: Query, playtest: PlaytestRow, slot: slots.SlotRow): Promise<void> {
  if (playtest.is_free_public_trial === 0) throw notWaiting();
  const unpublished = requireUnpublished(playtest, slot);
  if (!(await slots.markApproved(tx, slot.id, deps.clock.now()))) throw notWaiting();
  if (unpublished.status === "publishing") await schedulePublishing(deps, tx, slot.id);
}

/** An admin keeps a public video from being published, accepted or not: its slot is rejected for good. */
export async function rejectVideo(
  deps: Deps,
  tx: Query,
  playtest: PlaytestRow,
  slot: slots.SlotRow,
  reason: string,
): Promise<void> {
  const unpublished = requireUnpublished(playtest, slot);
  if ((await slots.submissionOf(tx, slot.id))?.admin_approved_at !== null) throw notWaiting();
  await rejectForGood(deps, tx, playtest, unpublished, reason);
}

function requireUnpublished(playtest: PlaytestRow, slot: slots.SlotRow): slots.SlotIn<"submitted" | "publishing"> {
  if (playtest.visibility === "public" && slots.isIn(slot, "submitted", "publishing")) return slot;
  throw notWaiting();
}

const notWaiting = () => conflict("No video of this slot waits for approval. Nothing was changed.");
