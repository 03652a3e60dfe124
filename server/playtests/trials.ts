import type { Tx } from "../app/tx.ts";
import { conflict } from "../lib/api-error.ts";
import { announceDecision } from "./approvals.ts";
import { windowOver } from "./slots/rules.ts";
import * as slots from "./slots/store.ts";
import { cancelOpen, finishPlaytest, refund } from "./slots/transitions.ts";
import * as playtests from "./store.ts";

/** An admin approves a free trial, which is then offered. 409 when it is not a free trial, was already decided or its fixed time has come. */
export async function approveTrial(tx: Tx, playtest: playtests.PlaytestRow): Promise<void> {
  requireWaiting(tx, playtest);
  const now = tx.now;
  await playtests.update(tx, playtest.id, { approved_at: now, updated_at: now });
}

/** Rejecting a trial cancels it, so that the game can have another. 409 as `approveTrial`. */
export async function rejectTrial(tx: Tx, playtest: playtests.PlaytestRow): Promise<void> {
  requireWaiting(tx, playtest);
  playtests.lock(tx, playtest.id);
  for (const slot of await slots.openOf(tx, playtest.id)) await cancelOpen(tx, playtest, slot);
  await finishPlaytest(tx, playtest);
}

/** Cancels a trial on which no admin decided before its fixed time, as a rejection does, and tells its owner. The caller has locked it. */
export async function cancelUndecided(tx: Tx, playtest: playtests.PlaytestRow): Promise<void> {
  for (const slot of await slots.openOf(tx, playtest.id)) {
    if (!(await slots.tryTransition(tx, slot, "cancel", { ended_at: playtest.closes_at }))) continue;
    await refund(tx, playtest, slot, "slot_refund");
  }
  await finishPlaytest(tx, playtest);
  await announceDecision(tx, playtest, "rejected", "No administrator decided on it before its fixed time.");
}

/** Whether no admin has decided on this free trial. */
export const isUndecided = (playtest: playtests.PlaytestRow): boolean =>
  playtest.is_free_public_trial === 1 && playtest.status === "active" && playtest.approved_at === null;

function requireWaiting(tx: Tx, playtest: playtests.PlaytestRow): void {
  if (!isUndecided(playtest)) throw conflict("This playtest is not a free trial waiting for approval. Nothing was changed.");
  if (windowOver(playtest, tx.now))
    throw conflict("The fixed time of this free trial has come, so the trial is cancelled. Nothing was changed.");
}
