import * as users from "../../accounts/users-store.ts";
import type { ReadTx, Tx } from "../../app/tx.ts";
import type { Query } from "../../database/port.ts";
import { accounts } from "../../ledger/rules.ts";
import { balance, post } from "../../ledger/store.ts";
import { conflict } from "../../lib/api-error.ts";
import { issueReversal } from "../invoices/service.ts";
import * as reversals from "../reversals-store.ts";
import { isByCard } from "../rules.ts";
import * as payments from "../store.ts";
import { endDisputedPlan, restorePlan, takePlan } from "../subscriptions/service.ts";
import { announceDispute, announceEnd } from "./dispute-notices.ts";
import { creditReturned, creditTaken, type Reversed, statusAfter, takenOf } from "./dispute-rules.ts";

/** Records a chargeback that an admin entered or the sandbox simulates. 409 unless the payment is a completed card payment. */
export async function disputePayment(tx: Tx, payment: payments.PaymentRow): Promise<void> {
  if (!isByCard(payment)) throw conflict("Only a card payment can be charged back. Nothing was changed.");
  if (payment.status !== "completed") throw conflict(`This payment is ${payment.status}, not completed. Nothing was changed.`);
  const earlier = await reversals.ofPayment(tx, payment.id);
  if (earlier.some(({ kind }) => kind === "dispute"))
    throw conflict("An earlier dispute of this payment was won. Nothing was changed.");
  await takeDispute(tx, payment, { id: payment.id, cents: payment.amount_cents - takenOf(earlier) });
}

/** Posts the chargeback of a dispute once, even if it is reported several times or late. A second dispute of a payment is flagged for the operator. */
export async function takeDispute(
  tx: Tx,
  payment: payments.PaymentRow,
  { id, cents, answerBy = null }: { id: string; cents: number; answerBy?: number | null },
): Promise<void> {
  // Orders are placed with row locks: without this, one could be placed that does not see the dispute.
  users.lock(tx, payment.owner_id);
  const known = await findDispute(tx, payment, id);
  if (known) {
    if (known.answer_by !== answerBy) await reversals.setAnswerBy(tx, known.id, answerBy, tx.now);
    return known.renamed ? correct(tx, payment, known, cents) : undefined;
  }
  const earlier = await reversals.ofPayment(tx, payment.id);
  await reversals.insert(tx, {
    ...stampOf(tx),
    id,
    payment_id: payment.id,
    kind: "dispute",
    cents,
    state: "taken",
    answer_by: answerBy,
  });
  const total = takenOf(earlier) + cents;
  if (earlier.some(({ kind }) => kind === "dispute") || total > payment.amount_cents)
    await payments.flag(tx, payment.id, `disputed again: ${id}; ${total} cents reversed in total`, tx.now);
  await take(tx, payment, { key: id, source: "dispute", cents, before: takenOf(earlier) });
  if (payment.purpose === "subscription")
    await endDisputedPlan(tx, payment, "chargeback", total >= payment.amount_cents ? "taken" : "kept");
  await updateStatus(tx, payment);
  await announceDispute(tx, payment, cents);
}

/** Corrects the amount of a chargeback that an admin recorded, when the processor reports the actual amount. */
async function correct(tx: Tx, payment: payments.PaymentRow, known: reversals.ReversalRow, cents: number): Promise<void> {
  const more = known.state === "taken" ? cents - known.cents : 0;
  if (more === 0) return;
  const change = { key: `${known.id}:corrected`, before: takenOf(await reversals.ofPayment(tx, payment.id)) };
  await reversals.setCents(tx, known.id, cents, tx.now);
  if (more > 0) await take(tx, payment, { ...change, source: "dispute", cents: more });
  else await returnReversal(tx, payment, { ...change, source: "dispute_won", cents: -more });
  await updateStatus(tx, payment);
}

/** Returns the amount of a dispute that was won, once. A plan that ended stays ended, but its hours are returned. */
export async function winDispute(tx: Tx, payment: payments.PaymentRow, disputeId: string): Promise<void> {
  await undo(tx, payment, { id: disputeId, kind: "dispute", known: await findDispute(tx, payment, disputeId) });
}

/**
 * Posts a refund that the operator made at the processor, once, like a chargeback without a fee. When the whole payment is refunded, its
 * plan ends and the plan's hours are removed.
 */
export async function takeRefund(
  tx: Tx,
  payment: payments.PaymentRow,
  { id, cents }: { id: string; cents: number },
): Promise<void> {
  users.lock(tx, payment.owner_id);
  if (await reversals.find(tx, id)) return;
  const before = takenOf(await reversals.ofPayment(tx, payment.id));
  await reversals.insert(tx, { ...stampOf(tx), id, payment_id: payment.id, kind: "refund", cents, state: "taken" });
  if (before + cents > payment.amount_cents)
    await payments.flag(tx, payment.id, `refunded while disputed: ${before + cents} cents reversed in total`, tx.now);
  await take(tx, payment, { key: id, source: "card_refund", cents, before });
  if (payment.purpose === "subscription" && before + cents >= payment.amount_cents)
    await endDisputedPlan(tx, payment, "refunded", "taken");
  await updateStatus(tx, payment);
}

/** Undoes a refund that the bank refused, once: the processor has the money again. The payment is flagged for the operator. */
export async function failRefund(tx: Tx, payment: payments.PaymentRow, refundId: string): Promise<void> {
  await undo(tx, payment, { id: refundId, kind: "refund", known: await reversals.find(tx, refundId) });
  await payments.flag(tx, payment.id, `refund ${refundId} failed: the amount is back at the processor`, tx.now);
}

async function undo(
  tx: Tx,
  payment: payments.PaymentRow,
  { id, kind, known }: Pick<reversals.ReversalRow, "id" | "kind"> & { known: reversals.ReversalRow | undefined },
): Promise<void> {
  // The reversal itself was not reported yet. This record makes that report have no effect.
  if (!known) {
    const nothing = { id, payment_id: payment.id, kind, cents: 0, state: "returned" } as const;
    return void (await reversals.insert(tx, { ...stampOf(tx), ...nothing }));
  }
  const before = takenOf(await reversals.ofPayment(tx, payment.id));
  if (!(await reversals.transitionFromAny(tx, known, "return", { updated_at: tx.now, answer_by: null }))) return;
  const source = kind === "dispute" ? "dispute_won" : "refund_failed";
  await returnReversal(tx, payment, { key: known.id, source, cents: known.cents, before });
  await updateStatus(tx, payment);
  if (kind !== "dispute") return;
  await announceEnd(tx, payment, { cents: known.cents, outcome: "won", wasLifted: known.lifted_at !== null });
}

/** The dispute with the processor's id, or the one that an admin recorded before the processor reported it. */
async function findDispute(
  tx: Query,
  payment: payments.PaymentRow,
  id: string,
): Promise<(reversals.ReversalRow & { renamed: boolean }) | undefined> {
  const known = await reversals.find(tx, id);
  if (known) return { ...known, renamed: false };
  const byHand = await reversals.find(tx, payment.id);
  if (!byHand) return undefined;
  await reversals.rename(tx, byHand.id, id);
  return { ...byHand, id, renamed: true };
}

const movesTo = { completed: "restore", disputed: "dispute", refunded: "refund" } as const;

async function updateStatus(tx: Tx, payment: payments.PaymentRow): Promise<void> {
  const status = statusAfter(payment.amount_cents, await reversals.ofPayment(tx, payment.id));
  await payments.transitionFromAny(tx, payment, movesTo[status], { updated_at: tx.now });
}

interface Change {
  /** The unique part of the event key of its transfer. */
  key: string;
  cents: number;
  /** The cents of the payment that were reversed before this change. */
  before: number;
}

async function take(
  tx: Tx,
  payment: payments.PaymentRow,
  { key, source, cents, before }: Change & { source: "dispute" | "card_refund" },
): Promise<void> {
  const reversed = reversedOf(payment, `${source}:${key}`, cents);
  if (payment.purpose === "subscription") {
    // The plan's hours are removed once its whole price was taken back.
    const goes = before < payment.amount_cents && before + cents >= payment.amount_cents;
    await takePlan(tx, payment, { reversed, minutesKey: goes ? key : undefined });
  } else await post(tx, creditTaken(reversed, await balance(tx, accounts.credit(payment.owner_id))));
  await issueReversal(tx, payment, { source, eventKey: reversed.eventKey, cents, at: tx.now });
}

async function returnReversal(
  tx: Tx,
  payment: payments.PaymentRow,
  { key, source, cents, before }: Change & { source: "dispute_won" | "refund_failed" },
): Promise<void> {
  const reversed = reversedOf(payment, `${source}:${key}`, cents);
  if (payment.purpose === "subscription") {
    const returns = before >= payment.amount_cents && before - cents < payment.amount_cents;
    await restorePlan(tx, payment, { reversed, minutesKey: returns ? key : undefined });
  } else await post(tx, creditReturned(reversed, await balance(tx, accounts.receivable(payment.owner_id))));
  await issueReversal(tx, payment, { source, eventKey: reversed.eventKey, cents, at: tx.now });
}

const reversedOf = (payment: payments.PaymentRow, eventKey: string, cents: number): Reversed => ({
  eventKey,
  paymentId: payment.id,
  ownerId: payment.owner_id,
  processor: payment.provider,
  cents,
});

const stampOf = (tx: ReadTx) => ({ fee_cents: 0, created_at: tx.now, updated_at: tx.now, lifted_at: null });
