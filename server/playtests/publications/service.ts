import { type PublisherName, publisherTitles } from "../../../src/contract/publications/publishers.ts";
import { zonedText } from "../../../src/contract/time/zones.ts";
import * as users from "../../accounts/users-store.ts";
import type { Tx } from "../../app/tx.ts";
import { conflict, notFound } from "../../lib/api-error.ts";
import { pay } from "../slots/pay.ts";
import * as slots from "../slots/store.ts";
import { finishPlaytest } from "../slots/transitions.ts";
import * as playtests from "../store.ts";
import { begin, newPublication, scheduleRun, scheduleWork } from "./begin.ts";
import { withdraw } from "./consents.ts";
import * as consents from "./consents-store.ts";
import { ownPage } from "./own.ts";
import type { Outcome } from "./publisher.ts";
import { afterStep, inProgress, removalAgainAt, removalAt } from "./rules.ts";
import * as store from "./store.ts";
import { tellFailed, tellPublished, tellWithdrawn } from "./tell.ts";

/** What becomes of a publication. Each function runs inside the caller's transaction, which has locked the playtest of the slot. */
type Publication = store.PublicationRow;

/** The publication with this id as the writes before this one left it, locked with its playtest. 404 when there is none. */
export async function lockedPublication(tx: Tx, id: string): Promise<Publication> {
  const found = await store.find(tx, id);
  if (!found) throw notFound();
  playtests.lockOfSlot(tx, found.slot_id);
  return (await store.find(tx, id))!;
}

/**
 * Publishes the video of a slot that was accepted. Where the consent to that was withdrawn, it is not published, and the playtester is paid at
 * once. Returns whether it is published.
 */
export async function publish(tx: Tx, slot: slots.SlotRow): Promise<boolean> {
  const withdrawn = await consents.withdrawnOf(tx, slot.id);
  if (!withdrawn) {
    await begin(tx, slot);
    return true;
  }
  const { adapter, withdrawn_reason } = withdrawn;
  const row = newPublication(tx, { slotId: slot.id, adapter, bytes: 0 });
  await store.insert(tx, { ...row, state: "removed", reason: withdrawalText(withdrawn_reason), next_attempt_at: null });
  await acceptPublishing(tx, slot);
  return false;
}

const withdrawalText = (reason: string | null) =>
  `The playtester withdrew the consent to publish it.${reason === null ? "" : ` The reason: ${reason}`}`;

/** Stores what the publisher needs to go on. A removed publication has it until the platform was asked to forget it. */
export async function recordStart(tx: Tx, row: Publication, session: string): Promise<void> {
  if (!store.isIn(row, ...inProgress, "removed")) return;
  const sealed = tx.secrets.seal(session, store.sessionContext(row.id));
  await store.update(tx, row.id, { session: sealed, error: null, detail: null, next_attempt_at: tx.now, updated_at: tx.now });
}

/** Records what a step came to. False when the publication is no longer in progress: it was given up or removed meanwhile. */
export async function recordStep(tx: Tx, row: Publication, outcome: Outcome): Promise<boolean> {
  const late = row.state === "failed" && outcome.is === "published";
  if (!store.isIn(row, ...inProgress) && !late) return leaveRemnants(tx, row, outcome);
  const known = store.isIn(row, ...inProgress) ? row : { ...row, state: "processing" as const };
  const { move, changes } = afterStep(known, outcome, tx.now);
  const { session } = changes;
  const sealed = session ? { session: tx.secrets.seal(session, store.sessionContext(row.id)) } : {};
  await store.transitionFromAny(tx, { id: row.id }, move, { ...changes, ...sealed, updated_at: tx.now });
  if (outcome.is === "published") await becomePublic(tx, row, outcome.url);
  if (move === "block" || move === "fail") await takeOver(tx, { ...row, detail: changes.detail ?? null }, changes.reason!);
  return true;
}

/** A video that a platform has since it was removed here has to be deleted there: by its id, or by the session of its upload. */
async function leaveRemnants(tx: Tx, row: Publication, outcome: Outcome): Promise<false> {
  if (row.state !== "removed") return false;
  const soon = { next_attempt_at: tx.now, updated_at: tx.now };
  if (outcome.is === "published" || outcome.is === "blocked")
    await store.update(tx, row.id, { remote_id: outcome.remoteId, ...soon });
  else if ("session" in outcome && outcome.session)
    await store.update(tx, row.id, { session: tx.secrets.seal(outcome.session, store.sessionContext(row.id)), ...soon });
  return false;
}

/** Ends the wait for a platform. Does nothing when the publication has ended, or has more time now. */
export async function giveUp(tx: Tx, row: Publication): Promise<void> {
  if (!store.isIn(row, ...inProgress) || row.give_up_at > tx.now) return;
  const reason = `It was not published by ${zonedText(row.give_up_at, null)}.${row.error === null ? "" : ` The last try: ${row.error}`}`;
  await store.transition(tx, row, "fail", { reason, error: null, next_attempt_at: null, updated_at: tx.now });
  await takeOver(tx, row, reason);
}

/** The server's own page takes over, so that nobody waits for the platform. */
async function takeOver(tx: Tx, row: Publication, reason: string): Promise<void> {
  const url = ownPage(tx.config, row.slot_id);
  await becomePublic(tx, { ...row, adapter: "own" }, url);
  const slot = (await slots.find(tx, row.slot_id))!;
  await tellFailed(tx, slot, { id: row.id, adapter: row.adapter, reason, detail: row.detail, url });
}

/** Everybody can watch the video at `url`. A slot that waited for that becomes `accepted`, and its playtester is paid. */
async function becomePublic(tx: Tx, { slot_id, adapter }: Publication, url: string): Promise<void> {
  const [slot, submission] = [await slots.find(tx, slot_id), await slots.submissionOf(tx, slot_id)];
  if (!slot || !submission) return;
  const paidCents = await acceptPublishing(tx, slot);
  if (submission.published_url === url) return;
  await slots.markPublished(tx, slot_id, url, submission.published_at ?? tx.now);
  await tellPublished(tx, slot, { adapter, url, paidCents });
}

/** Accepts a slot whose video was to be published, and pays its playtester. Returns how much (cents). */
async function acceptPublishing(tx: Tx, slot: slots.SlotRow): Promise<number> {
  if (!slots.isIn(slot, "publishing") || !(await slots.tryTransition(tx, slot, "finish", { ended_at: tx.now }))) return 0;
  const playtest = (await playtests.find(tx, slot.playtest_id))!;
  await pay(tx, playtest, slot);
  await finishPlaytest(tx, playtest);
  return playtest.payout_cents;
}

/** Tries again: to publish, with the whole time, or to delete what was removed. 409 when that was on no platform, or is published. */
export async function retry(tx: Tx, row: Publication): Promise<void> {
  const soon = { attempts: 0, next_attempt_at: tx.now, updated_at: tx.now };
  const slot = (await slots.find(tx, row.slot_id))!;
  if (row.state === "removed") {
    // Also where nothing is known to be left: a video that its platform did not list at the last search is found by another.
    if (row.adapter === "own")
      throw conflict("This video was removed, and was on no platform where something of it could be left. Nothing was changed.");
    const again = { ...soon, next_attempt_at: removalAgainAt(row, tx.now) };
    await store.update(tx, row.id, again);
    return scheduleRun(tx, { ...row, ...again }, slot.owner_id);
  }
  const waiting = store.requireMove(row, "wait");
  // What failed for good would fail again by its session. A new one begins with what the platform has by its marker.
  const changes = {
    ...soon,
    ...(row.state === "failed" && { session: null, bytes_sent: 0 }),
    reason: null,
    give_up_at: tx.now + tx.config.publishing.maxWaitMs,
  };
  const again = await store.transition(tx, waiting, "wait", changes);
  await scheduleWork(tx, again, slot.owner_id);
}

/** Publishes elsewhere and removes what is where it was. The own page shows the video at once, and until a platform does. */
export async function move(tx: Tx, row: Publication, to: PublisherName): Promise<Publication> {
  if (row.adapter === to) throw conflict(`The video is to be published on ${publisherTitles[to]} already. Nothing was changed.`);
  if (to !== "own" && (await consents.agreedAdapter(tx, row.slot_id)) !== to)
    throw conflict(`The playtester did not consent to a publication on ${publisherTitles[to]}. Nothing was changed.`);
  await discard(tx, row, `Moved to ${publisherTitles[to]}.`);
  const slot = (await slots.find(tx, row.slot_id))!;
  if (to !== "own") await begin(tx, slot);
  else await store.insert(tx, published(newPublication(tx, { slotId: slot.id, adapter: "own", bytes: row.bytes_total })));
  if (to === "own" || slot.status === "accepted") await becomePublic(tx, { ...row, adapter: "own" }, ownPage(tx.config, slot.id));
  return (await store.ofSlot(tx, slot.id))!;
}

const published = (row: Publication): Publication => ({
  ...row,
  state: "published",
  bytes_sent: row.bytes_total,
  next_attempt_at: null,
});

/** Removes a publication: nobody can watch the video, and its playtester is paid if that waited for it. 409 when it is removed already. */
export async function remove(tx: Tx, row: Publication, reason: string): Promise<void> {
  await discard(tx, row, reason);
  const slot = (await slots.find(tx, row.slot_id))!;
  await acceptPublishing(tx, slot);
  await slots.unmarkPublished(tx, slot.id);
}

/** Ends a publication, and has deleted what is on its platform: before all else of the owner that waits to be uploaded. */
async function discard(tx: Tx, row: Publication, reason: string): Promise<void> {
  const next = removalAt(row, tx.now);
  const changes = { reason, error: null, attempts: 0, next_attempt_at: next, updated_at: tx.now };
  const removed = await store.transition(tx, store.requireMove(row, "remove"), "remove", changes);
  if (next !== null)
    await scheduleRun(tx, { ...removed, next_attempt_at: row.created_at }, (await slots.find(tx, row.slot_id))!.owner_id);
}

/** The statuses of a slot whose video is, or may still be, published. */
const mayBePublished = ["reserved", "blocked", "submitted", "publishing", "accepted"] as const;

/**
 * A player of a public slot no longer consents to the publication of its video: one that is published is removed, and one that is not accepted
 * yet will not be published. The owner is told. 409 when the video is not to be published.
 */
export async function withdrawConsent(tx: Tx, slotId: string, userId: string, reason: string | null): Promise<void> {
  playtests.lockOfSlot(tx, slotId);
  const slot = (await slots.find(tx, slotId))!;
  const { visibility } = (await playtests.find(tx, slot.playtest_id))!;
  const row = await store.ofSlot(tx, slotId);
  if (visibility !== "public" || !slots.isIn(slot, ...mayBePublished) || row?.state === "removed")
    throw conflict("The video of this slot is not published. Nothing was changed.");
  const person = (await users.find(tx, userId))!;
  if (!(await withdraw(tx, slot, person, reason)))
    throw conflict("You have withdrawn your consent already. Nothing was changed.");
  await tellWithdrawn(tx, slot, person, reason);
  if (row) await remove(tx, await lockedPublication(tx, row.id), withdrawalText(reason));
}

/** Ends the publication of a slot that was rejected after all. */
export async function withdrawRejected(tx: Tx, slotId: string, reason: string): Promise<void> {
  const row = await store.ofSlot(tx, slotId);
  if (row && row.state !== "removed") await discard(tx, row, reason);
}

/** Removes the publications of all slots of an account that is deleted, on either side. */
export async function removeAllOf(tx: Tx, userId: string): Promise<void> {
  for (const { id } of await store.ofAccount(tx, userId))
    await remove(tx, await lockedPublication(tx, id), "The account was deleted.");
}
