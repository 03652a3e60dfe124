import * as users from "../accounts/users-store.ts";
import type { Deps } from "../app/deps.ts";
import type { Query } from "../database/port.ts";
import * as games from "../games/store.ts";
import { notFound } from "../lib/problem.ts";
import { queueMail } from "../mail/queue.ts";
import { composeTrialApproved, composeTrialRejected, type MailContent } from "../mail/texts.ts";
import * as publishing from "../playtests/publishing.ts";
import * as slots from "../playtests/slots/store.ts";
import * as playtests from "../playtests/store.ts";
import * as trials from "../playtests/trials.ts";

/** An admin's decisions about free trials and their videos. Each function runs in the caller's transaction. */
type Playtest = playtests.PlaytestRow;

/** Makes the trial visible to playtesters and emails its owner. */
export async function approveTrial(deps: Deps, tx: Query, playtestId: string): Promise<void> {
  const playtest = await playtestOf(tx, playtestId);
  await trials.approveTrial(deps, tx, playtest);
  await mailOwner(deps, tx, playtest, composeTrialApproved);
}

/** Cancels the trial and emails its owner the reason. The free trial of the game can be ordered again. */
export async function rejectTrial(deps: Deps, tx: Query, playtestId: string, reason: string | undefined): Promise<void> {
  const playtest = await playtestOf(tx, playtestId);
  await trials.rejectTrial(deps, tx, playtest);
  await mailOwner(deps, tx, playtest, (to) => composeTrialRejected({ ...to, reason }));
}

export async function approveVideo(deps: Deps, tx: Query, slotId: string): Promise<void> {
  const slot = await slotOf(tx, slotId);
  await publishing.approveVideo(deps, tx, await playtestOf(tx, slot.playtest_id), slot);
}

export async function rejectVideo(deps: Deps, tx: Query, slotId: string, reason = ""): Promise<void> {
  const slot = await slotOf(tx, slotId);
  await publishing.rejectVideo(deps, tx, await playtestOf(tx, slot.playtest_id), slot, reason);
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

type Compose = (to: { name: string; gameName: string }) => MailContent;

async function mailOwner(deps: Deps, tx: Query, playtest: Playtest, compose: Compose): Promise<void> {
  const [owner, game] = [await users.find(tx, playtest.owner_id), await games.find(tx, playtest.game_id)];
  await queueMail(deps, tx, owner!.email, compose({ name: owner!.display_name, gameName: game!.name }));
}
