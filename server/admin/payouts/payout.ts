import { sealingContext as detailsContext } from "../../accounts/payout-details/store.ts";
import * as users from "../../accounts/users-store.ts";
import type { Tx } from "../../app/tx.ts";
import type { Query } from "../../database/port.ts";
import { emit } from "../../events/emit.ts";
import { mailUserAbout } from "../../events/event-mails.ts";
import { failedWithdrawalTransfer, type Transfer, type Withdrawal, withdrawalTransfer } from "../../ledger/rules.ts";
import * as ledger from "../../ledger/store.ts";
import { conflict, notFound } from "../../lib/api-error.ts";
import { usd } from "../../lib/money.ts";
import { iso } from "../../lib/time.ts";
import { type Unpaid, unpaidOf } from "../../playtests/slots/earnings.ts";
import { payoutFailedLetter, payoutSentLetter } from "./letters.ts";
import type { Owed } from "./owed.ts";
import * as payouts from "./store.ts";

/** Records that earnings were paid out. 409 when less than `cents` is available to the playtester. */
export async function recordPayout(tx: Tx, playtesterId: string, cents: number): Promise<payouts.NamedPayoutRow> {
  const playtester = await users.find(tx, playtesterId);
  if (!playtester) throw notFound();
  if (playtester.role !== "playtester") throw conflict("Only playtesters can receive payouts. Nothing was recorded.");
  const { unpaid } = await unpaidOf(tx, playtesterId);
  if (cents > unpaid.availableCents) throw conflict(tooMuch(unpaid, cents));
  const now = tx.now;
  const payout = await payouts.insert(tx, {
    id: tx.newId(),
    user_id: playtesterId,
    amount_cents: cents,
    status: "completed",
    created_at: now,
    completed_at: now,
  });
  await post(tx, payout, withdrawalTransfer);
  await announce(tx, payout, "payout.completed");
  return { ...payout, display_name: playtester.display_name };
}

interface ToMake {
  owed: Owed;
  batchId: string;
}

/** Makes a pending payout of all that is available to a playtester with payout details. */
export async function makePayout(tx: Tx, { owed, batchId }: ToMake): Promise<void> {
  const { id: userId, method, masked, sealed } = owed;
  if (method === null || masked === null || sealed === null) throw new Error(`the playtester ${userId} has no payout details`);
  const id = tx.newId();
  const details = tx.secrets.open(sealed, detailsContext(userId));
  const payout = await payouts.insert(tx, {
    id,
    user_id: userId,
    amount_cents: owed.unpaid.availableCents,
    status: "pending",
    created_at: tx.now,
    batch_id: batchId,
    reference: referenceOf(id),
    method,
    masked,
    details: tx.secrets.seal(details, payouts.sealingContext(id)),
  });
  await post(tx, payout, withdrawalTransfer);
}

/** Short, because banks and PayPal limit references: the random end of the payout's id. */
const referenceOf = (id: string) => `PO-${id.replaceAll("-", "").slice(-12).toUpperCase()}`;

/** Records that a pending payout was paid. 409 when it is not pending. */
export async function completePayout(tx: Tx, payout: payouts.PayoutRow): Promise<payouts.PayoutRow> {
  const pending = payouts.requireMove(payout, "complete");
  const completed = await payouts.transition(tx, pending, "complete", { completed_at: tx.now, details: null });
  await announce(tx, completed, "payout.completed");
  return completed;
}

function tooMuch({ availableCents, heldCents, heldUntil, disputedCents }: Unpaid, cents: number): string {
  if (heldUntil === null && disputedCents === 0)
    return `This playtester has ${usd(availableCents)} to pay out, less than ${usd(cents)}. Nothing was recorded.`;
  const available = [`This playtester has ${usd(availableCents)} to pay out now, less than ${usd(cents)}.`];
  if (heldUntil !== null)
    available.push(`Another ${usd(heldCents)} may come from card payments and is held until ${iso(heldUntil)}.`);
  if (disputedCents > 0)
    available.push(`Another ${usd(disputedCents)} is on hold because the payment is disputed: see \`playtest admin disputes\`.`);
  const wait = heldUntil === null ? "wait until the dispute has ended" : "wait";
  const later = heldUntil === null ? "Pay it when the dispute has ended." : "Pay it then.";
  const next = availableCents > 0 ? `Pay up to ${usd(availableCents)} now, or ${wait}.` : later;
  return `${available.join(" ")} Nothing was recorded. ${next}`;
}

/** Records that a payout could not be made, or was returned. The amount becomes unpaid earnings again. 409 when this was recorded before. */
export async function failPayout(tx: Tx, payout: payouts.PayoutRow, failure = ""): Promise<payouts.PayoutRow> {
  const made = payouts.requireMove(payout, "fail");
  const changes = { failed_at: tx.now, failure: failure.trim() || null, details: null };
  const failed = await payouts.transition(tx, made, "fail", changes);
  await post(tx, payout, failedWithdrawalTransfer);
  await announce(tx, failed, "payout.failed");
  return failed;
}

/** The payout with this id. 404 if there is none. */
export async function requirePayout(q: Query, id: string): Promise<payouts.NamedPayoutRow> {
  const payout = await payouts.find(q, id);
  if (!payout) throw notFound();
  return payout;
}

const post = (
  tx: Tx,
  { id: payoutId, user_id: playtesterId, amount_cents: cents }: payouts.PayoutRow,
  transfer: (withdrawal: Withdrawal) => Transfer,
) => ledger.post(tx, transfer({ payoutId, playtesterId, cents }));

async function announce(tx: Tx, payout: payouts.PayoutRow, kind: "payout.completed" | "payout.failed"): Promise<void> {
  const { id: payoutId, user_id: playtesterId, amount_cents: cents } = payout;
  await emit(tx, [{ id: playtesterId, role: "playtester" }], {
    kind,
    data: { payoutId, amountCents: cents },
    notice: { amountCents: cents },
  });
  await mailUserAbout(tx, playtesterId, kind, (zone) => {
    const about = { config: tx.config, payoutId, cents, zone };
    return kind === "payout.completed"
      ? payoutSentLetter({ ...about, at: payout.completed_at ?? payout.created_at })
      : payoutFailedLetter({ ...about, at: payout.created_at, failure: payout.failure });
  });
}
