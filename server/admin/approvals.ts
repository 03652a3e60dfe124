import type { Tx } from "../app/tx.ts";
import type { Query } from "../database/port.ts";
import { notFound } from "../lib/api-error.ts";
import { announceDecision } from "../playtests/approvals.ts";
import * as publishing from "../playtests/publishing.ts";
import * as slots from "../playtests/slots/store.ts";
import * as playtests from "../playtests/store.ts";
import * as trials from "../playtests/trials.ts";

/** An admin's decisions about free trials and their videos. Each function runs in the caller's transaction. */
type Playtest = playtests.PlaytestRow;

/** Makes the trial visible to playtesters and tells its owner. */
export async function approveTrial(tx: Tx, playtestId: string): Promise<void> {
  const playtest = await playtestOf(tx, playtestId);
  await trials.approveTrial(tx, playtest);
  await announceDecision(tx, playtest, "approved", undefined);
}

/** Cancels the trial and tells its owner the reason. The free trial of the game can be ordered again. */
export async function rejectTrial(tx: Tx, playtestId: string, reason: string | undefined): Promise<void> {
  const playtest = await playtestOf(tx, playtestId);
  await trials.rejectTrial(tx, playtest);
  await announceDecision(tx, playtest, "rejected", reason);
}

export async function approveVideo(tx: Tx, slotId: string): Promise<void> {
  const slot = await slotOf(tx, slotId);
  await publishing.approveVideo(tx, await playtestOf(tx, slot.playtest_id), slot);
}

export async function rejectVideo(tx: Tx, slotId: string, reason = ""): Promise<void> {
  const slot = await slotOf(tx, slotId);
  await publishing.rejectVideo(tx, await playtestOf(tx, slot.playtest_id), slot, reason);
}

async function playtestOf(q: Query, id: string): Promise<Playtest> {
  const playtest = await playtests.find(q, id);
  if (!playtest) throw notFound();
  return playtest;
}

async function slotOf(q: Query, id: string): Promise<slots.SlotRow> {
  const slot = await slots.find(q, id);
  if (!slot) throw notFound();
  return slot;
}
