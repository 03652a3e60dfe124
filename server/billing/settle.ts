import type { Deps } from "../app/deps.ts";
import type { Query } from "../database/port.ts";
import { accounts, topUpTransfers } from "../ledger/rules.ts";
import { balance, postAll } from "../ledger/store.ts";
import { emitPayment } from "./payments.ts";
import { hasLapsed } from "./rules.ts";
import * as payments from "./store.ts";
import { abandon, deliverPlan } from "./subscriptions/service.ts";

/**
 * How a card payment ends. Each end is a compare-and-set on its status in the transaction of its postings, so whatever
 * is reported twice, in parallel or out of order happens once. Each returns whether this call made it happen.
 */

/**
 * The money arrived. It counts whenever that is: after the checkout had ended it is flagged for the operator. `card` is
 * what the processor calls the card, for renewals.
 */
export async function payPayment(deps: Deps, tx: Query, payment: payments.PaymentRow, card?: string): Promise<boolean> {
  const now = deps.clock.now();
  const late = payment.status !== "pending" || hasLapsed(payment, now);
  if (!(await payments.complete(tx, payment, now))) return false;
  if (late) await payments.flag(tx, payment.id, "paid after the checkout had expired");
  await onPaid[payment.purpose](deps, tx, payment, card);
  await emitPayment(deps, tx, "payment.completed", payment);
  return true;
}

type Deliver = (deps: Deps, tx: Query, payment: payments.PaymentRow, card: string | undefined) => Promise<void>;

/** What a payment's money does, by what it was for. */
const onPaid: Record<payments.PaymentRow["purpose"], Deliver> = {
  credit: addCredit,
  subscription: deliverPlan,
  async order(deps, tx, payment) {
    await addCredit(deps, tx, payment);
    await payOrder(deps, tx, payment);
  },
};

/** The order takes its price from the credit that just arrived. Where it no longer waits for payment, the credit stays. */
async function payOrder(deps: Deps, tx: Query, payment: payments.PaymentRow): Promise<void> {
  const playtestId = payment.playtest_id!;
  if (!(await deps.paidOrders.awaitsPayment(deps, tx, playtestId)))
    return void (await payments.flag(tx, payment.id, "the order had ended when it was paid; the amount was credited"));
  await deps.paidOrders.onPaid(deps, tx, { playtestId, paymentId: payment.id, amountCents: payment.amount_cents });
}

/** The money becomes credit. A top-up first settles what an earlier chargeback left owing; an order needs all of it. */
async function addCredit(deps: Deps, tx: Query, payment: payments.PaymentRow): Promise<void> {
  const owed = payment.purpose === "order" ? 0 : await balance(tx, accounts.receivable(payment.owner_id));
  const topUp = topUpTransfers({
    eventKey: `topup:${payment.id}`,
    from: accounts.processor(payment.provider),
    ownerId: payment.owner_id,
    paymentId: payment.id,
    cents: payment.amount_cents,
    settles: Math.min(owed, payment.amount_cents),
  });
  await postAll(tx, topUp, { now: deps.clock.now(), newId: deps.newId });
}

/** A declined card ends its payment; another attempt is another payment. */
export async function declinePayment(deps: Deps, tx: Query, payment: payments.PaymentRow): Promise<boolean> {
  if (!(await payments.transitionFromAny(tx, payment, "fail", { updated_at: deps.clock.now() }))) return false;
  if (payment.purpose === "subscription") await abandon(deps, tx, payment, "payment_failed");
  await emitPayment(deps, tx, "payment.failed", payment);
  return true;
}

/** Called off at the checkout, or nobody came in time. */
export async function cancelPayment(deps: Deps, tx: Query, payment: payments.PaymentRow): Promise<boolean> {
  const now = deps.clock.now();
  if (!(await payments.transitionFromAny(tx, payment, "cancel", { updated_at: now }))) return false;
  const reason = hasLapsed(payment, now) ? "checkout_expired" : "checkout_cancelled";
  if (payment.purpose === "subscription") await abandon(deps, tx, payment, reason);
  return true;
}
