import * as payoutDetails from "../../accounts/payout-details/store.ts";
import * as users from "../../accounts/users-store.ts";
import type { Tx } from "../../app/tx.ts";
import type { Query } from "../../database/port.ts";
import { mailAbout, mailUserAbout } from "../../events/event-mails.ts";
import type { PaidWhen } from "../../events/notice-context.ts";
import { rejectTransfers } from "../../ledger/rules.ts";
import * as ledger from "../../ledger/store.ts";
import { conflict } from "../../lib/api-error.ts";
import { usd } from "../../lib/money.ts";
import { utc } from "../../lib/time.ts";
import * as keys from "../keys/store.ts";
import { openSlot } from "../orders.ts";
import * as consents from "../publications/consents-store.ts";
import { publish } from "../publications/service.ts";
import type * as playtests from "../store.ts";
import { copyTeam } from "../teams/asking.ts";
import { acceptedLetter, rejectedLetter } from "./mails.ts";
import { payShares, sharesFor } from "./pay.ts";
import { retryDeadlineMs } from "./rules.ts";
import * as slots from "./store.ts";
import { companionsToTell, emitSlotEvent, finishPlaytest, termsOf, watchDeadline } from "./transitions.ts";

/** Accepting and rejecting a submission. Each function runs inside the caller's transaction. */
type Playtest = playtests.PlaytestRow;
type Slot = slots.SlotRow;
type Reviewable = slots.SlotIn<"submitted" | "publishing">;

/**
 * The owner accepts. A private slot is paid at once, a public one when its video is published. The video of a free trial is
 * published only after an admin approved it.
 */
export async function accept(
  tx: Tx,
  playtest: Playtest,
  slot: Slot,
  rating: { score: number | null; comment: string | null },
): Promise<string> {
  const now = tx.now;
  const isPublic = playtest.visibility === "public";
  const submitted = requireSubmitted(slot);
  const accepted = isPublic
    ? await slots.transition(tx, submitted, "publish")
    : await slots.transition(tx, submitted, "accept", { ended_at: now });
  if (rating.score !== null || rating.comment !== null) slots.insertRating(tx, { slot_id: slot.id, ...rating, created_at: now });
  const shares = await sharesFor(tx, playtest, slot);
  const withdrawn = isPublic && (await consents.withdrawnOf(tx, slot.id)) !== undefined;
  const waits = isPublic && (await awaitsAdmin(tx, playtest, slot));
  await tellAccepted(tx, slot, {
    payoutCents: playtest.payout_cents,
    paidWhen: isPublic && !withdrawn ? "published" : waits ? "approved" : "now",
    shares,
    ...rating,
  });
  if (waits && !withdrawn) return "Submission accepted. The video will be published after an admin approves it.";
  if (isPublic && !waits && (await publish(tx, accepted))) return "Submission accepted. The video is being published.";
  if (!isPublic) {
    await payShares(tx, playtest, slot, shares);
    await finishPlaytest(tx, playtest);
  }
  const done = withdrawn
    ? "Submission accepted. The video is not published, because the consent to that was withdrawn."
    : "Submission accepted.";
  if (playtest.payout_cents === 0) return done;
  return waits
    ? `${done} The playtester is paid after an admin approves it.`
    : `${done} The playtester earned ${usd(playtest.payout_cents)}.`;
}

interface Earned {
  payoutCents: number;
  paidWhen: PaidWhen;
  shares: ReadonlyMap<string, number>;
  score: number | null;
  comment: string | null;
}

/** Who earns something and has no payout details. */
async function withoutDetails(tx: Tx, shares: ReadonlyMap<string, number>): Promise<Set<string>> {
  const earning = [...shares].flatMap(([userId, cents]) => (cents > 0 ? [userId] : []));
  const details = await Promise.all(earning.map((userId) => payoutDetails.find(tx, userId)));
  return new Set(earning.filter((_, index) => details[index] === undefined));
}

async function tellAccepted(tx: Tx, slot: Slot, { shares, ...pay }: Earned): Promise<void> {
  const more = (userId: string) => ({ amountCents: shares.get(userId) ?? 0, paidWhen: pay.paidWhen });
  // Read together with what the event reads.
  const [{ gameName }, unpayable] = await Promise.all([
    emitSlotEvent(tx, slot, "slot.accepted", more(slot.playtester_id!), undefined, more),
    withoutDetails(tx, shares),
  ]);
  for (const [userId, payoutCents] of shares) {
    const lacksDetails = unpayable.has(userId);
    const letter = acceptedLetter({ config: tx.config, gameName, slotId: slot.id, ...pay, payoutCents, lacksDetails });
    await mailUserAbout(tx, userId, "slot.accepted", letter);
  }
}

/** Whether the video of a free trial still needs an admin's approval, which may come before or after the owner's. */
const awaitsAdmin = async (tx: Query, playtest: Playtest, slot: Slot) =>
  playtest.is_free_public_trial === 1 && (await slots.submissionOf(tx, slot.id))?.admin_approved_at === null;

/** Rejects a submission, finally or with a retry: a new slot for the same playtester, due in 24 hours, with the same hold and keys. */
export async function reject(
  tx: Tx,
  playtest: Playtest,
  slot: Slot,
  why: { reason: string; allowRetry: boolean },
): Promise<string> {
  const submitted = requireSubmitted(slot);
  if (!why.allowRetry) {
    await rejectForGood(tx, playtest, submitted, why);
    return "Submission rejected.";
  }
  const playtester = slot.playtester_id === null ? undefined : await users.find(tx, slot.playtester_id);
  if (playtester?.suspended_at != null)
    throw conflict("This playtester's account is suspended, so they cannot retry. Nothing was changed. Reject without a retry.");
  const rejected = await markRejected(tx, submitted, why);
  const now = tx.now;
  const retry = openSlot(tx, playtest);
  const deadlineAt = now + retryDeadlineMs;
  const reserved = await slots.transition(tx, retry, "reserve", {
    playtester_id: slot.playtester_id,
    retry_of: slot.id,
    reserved_at: now,
    deadline_at: deadlineAt,
    // The fixed time is over: the retry can be played at any time.
    scheduled_at: null,
  });
  await keys.moveToRetry(tx, slot.id, retry.id);
  await copyTeam(tx, slot.id, reserved);
  await tellRejected(tx, rejected, why, { slotId: retry.id, deadlineAt });
  await watchDeadline(tx, reserved);
  await emitSlotEvent(tx, reserved, "slot.reserved", { until: utc(deadlineAt), isRetry: true });
  return "Submission rejected. The playtester may submit again within 24 hours.";
}

/** A final rejection by the owner or an operator: no refund, no payout. */
export async function rejectForGood(
  tx: Tx,
  playtest: Playtest,
  slot: Reviewable,
  why: { reason: string; byOperator?: boolean },
): Promise<void> {
  const rejected = await markRejected(tx, slot, { reason: why.reason, allowRetry: false });
  await tellRejected(tx, rejected, why);
  await ledger.postAll(tx, rejectTransfers(termsOf(playtest, slot)));
  await finishPlaytest(tx, playtest);
}

async function markRejected(tx: Tx, slot: Reviewable, why: { reason: string; allowRetry: boolean }): Promise<Slot> {
  const now = tx.now;
  const rejected = await slots.transition(tx, slot, "reject", { ended_at: now });
  slots.insertRejection(tx, { slot_id: slot.id, reason: why.reason, allow_retry: why.allowRetry ? 1 : 0, created_at: now });
  return rejected;
}

async function tellRejected(
  tx: Tx,
  slot: Slot,
  { reason, byOperator = false }: { reason: string; byOperator?: boolean },
  retry?: { slotId: string; deadlineAt: number },
): Promise<void> {
  const notice = { reason, byOperator, ...(retry && { until: utc(retry.deadlineAt) }) };
  const { gameName, playtester } = await emitSlotEvent(tx, slot, "slot.rejected", notice);
  const letter = (zone: string | null) => rejectedLetter({ config: tx.config, gameName, zone, slotId: slot.id, reason, retry });
  await mailAbout(tx, playtester, "slot.rejected", letter);
  if (retry) return;
  for (const { id } of await companionsToTell(tx, slot)) await mailUserAbout(tx, id, "slot.rejected", letter);
}

/** Refuses a slot that the owner cannot review: one that is not submitted, or was already accepted. */
const requireSubmitted = (slot: Slot) => slots.requireMove(slot, "accept");
