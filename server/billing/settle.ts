import type { Tx } from "../app/tx.ts";
import { accounts, topUpTransfers } from "../ledger/rules.ts";
import { balance, postAll } from "../ledger/store.ts";
import { reclaim, release } from "./budgets/service.ts";
import type { Period } from "./invoices/rules.ts";
import { payOrder } from "./pay-order.ts";
import { announceFailed, announcePaid } from "./payments.ts";
import { hasExpired } from "./rules.ts";
import * as payments from "./store.ts";
import { abandon, deliverPlan } from "./subscriptions/service.ts";

/**
 * The final transitions of card payments. Each is a compare-and-set on the status, in the transaction of its postings, so reports that come
 * twice, in parallel or out of order take effect once. Each function returns whether this call made the transition.
 */

/**
 * Completes a payment that was paid. A payment after the end of the checkout is completed too, and flagged for the operator. `card` is
 * the processor's id of the card, for renewals.
 */
export async function payPayment(tx: Tx, payment: payments.PaymentRow, card?: string): Promise<boolean> {
  const now = tx.now;
  const late = payment.status !== "pending" || hasExpired(payment, now);
  if (!(await payments.complete(tx, payment, now))) return false;
  if (late) await payments.flag(tx, payment.id, "paid after the checkout had expired; it was completed all the same", tx.now);
  if (payment.purpose !== "order") await reclaim(tx, payment.id);
  const period = await onPaid[payment.purpose](tx, payment, card);
  await announcePaid(tx, { ...payment, completed_at: now }, period);
  return true;
}

type Deliver = (tx: Tx, payment: payments.PaymentRow, card: string | undefined) => Promise<Period | undefined>;

/** What to do when a payment completes, by its purpose. Returns the period that it pays for, if it is one of a plan. */
const onPaid: Record<payments.PaymentRow["purpose"], Deliver> = {
  credit: addCredit,
  subscription: deliverPlan,
  async order(tx, payment) {
    await addCredit(tx, payment);
    await payOrder(tx, payment, payment);
    return undefined;
  },
};

/** Adds the payment to the owner's credit. A credit purchase first pays a debt from a chargeback. An order needs the whole amount. */
async function addCredit(tx: Tx, payment: payments.PaymentRow): Promise<undefined> {
  const owed = payment.purpose === "order" ? 0 : await balance(tx, accounts.receivable(payment.owner_id));
  const topUp = topUpTransfers({
    eventKey: `topup:${payment.id}`,
    from: accounts.processor(payment.provider),
    ownerId: payment.owner_id,
    paymentId: payment.id,
    cents: payment.amount_cents,
    settles: Math.min(owed, payment.amount_cents),
  });
  await postAll(tx, topUp);
}

/** Ends a payment whose card was declined. Another attempt needs a new payment. */
export async function declinePayment(tx: Tx, payment: payments.PaymentRow): Promise<boolean> {
  if (!(await payments.transitionFromAny(tx, payment, "fail", { updated_at: tx.now }))) return false;
  if (payment.purpose === "subscription") await abandon(tx, payment, "payment_failed");
  await release(tx, { paymentId: payment.id });
  await announceFailed(tx, payment);
  return true;
}

/** Cancels a payment: the payer cancelled at the checkout, or did not pay in time. */
export async function cancelPayment(tx: Tx, payment: payments.PaymentRow): Promise<boolean> {
  const now = tx.now;
  if (!(await payments.transitionFromAny(tx, payment, "cancel", { updated_at: now }))) return false;
  const reason = hasExpired(payment, now) ? "checkout_expired" : "checkout_cancelled";
  if (payment.purpose === "subscription") await abandon(tx, payment, reason);
  await release(tx, { paymentId: payment.id });
  return true;
}
