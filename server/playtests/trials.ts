import type { Tx } from "../app/tx.ts";
import { conflict } from "../lib/api-error.ts";
import * as slots from "./slots/store.ts";
import { cancelOpen, finishPlaytest } from "./slots/transitions.ts";
import * as playtests from "./store.ts";

/** An admin approves a free trial, which is then offered. 409 when it is not a free trial or was already decided. */
export async function approveTrial(tx: Tx, playtest: playtests.PlaytestRow): Promise<void> {
  requireWaiting(playtest);
  const now = tx.now;
  await playtests.update(tx, playtest.id, { approved_at: now, updated_at: now });
}

/** Rejecting a trial cancels it, so that the game can have another. */
export async function rejectTrial(tx: Tx, playtest: playtests.PlaytestRow): Promise<void> {
  requireWaiting(playtest);
  playtests.lock(tx, playtest.id);
  for (const slot of await slots.openOf(tx, playtest.id)) await cancelOpen(tx, playtest, slot);
  await finishPlaytest(tx, playtest);
}

function requireWaiting(playtest: playtests.PlaytestRow): void {
  if (playtest.is_free_public_trial === 0 || playtest.status !== "active" || playtest.approved_at !== null)
    throw conflict("This playtest is not a free trial waiting for approval. Nothing was changed.");
}
