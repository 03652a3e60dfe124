import type { Tx } from "../../app/tx.ts";
import { conflict } from "../../lib/api-error.ts";
import { hasExpired, statusAt } from "../rules.ts";
import { cancelPayment, declinePayment, payPayment } from "../settle.ts";
import type { PaymentRow } from "../store.ts";
import * as payments from "../store.ts";
import { isRunning, subscriptionAt } from "../subscriptions/rules.ts";
import type { SubscriptionRow } from "../subscriptions/store.ts";
import * as subscriptions from "../subscriptions/store.ts";
import { disputePayment } from "./disputes.ts";
import { savedCards } from "./sandbox-processor.ts";

export type CheckoutOutcome = "paid" | "declined" | "cancelled" | "disputed";

/** Simulates what a person does at a sandbox checkout. `card` is the saved card. 409 if the checkout has ended. */
export async function actAtCheckout(
  tx: Tx,
  payment: PaymentRow,
  outcome: CheckoutOutcome,
  card: string = savedCards.paid,
): Promise<void> {
  if (payment.provider !== "sandbox")
    throw conflict(`This payment has no sandbox checkout: its provider is ${payment.provider}. Nothing was changed.`);
  if (outcome === "disputed") return disputePayment(tx, payment);
  const now = tx.now;
  const status = statusAt(payment, now);
  const lateSuccess = outcome === "paid" && hasExpired(payment, now);
  if (status !== "pending" && !lateSuccess)
    throw conflict(`The checkout of this payment has ended: the payment is ${status}. Nothing was changed.`);
  const act = { paid: payPayment, declined: declinePayment, cancelled: cancelPayment }[outcome];
  await act(tx, payment, card);
}

/** Like `actAtCheckout`, for the checkout of a subscription, or for its last paid invoice if the outcome is `disputed`. */
export async function actAtPlanCheckout(tx: Tx, row: SubscriptionRow, outcome: CheckoutOutcome): Promise<void> {
  const statuses = ["completed", "disputed", "pending", "cancelled", "failed"] as const;
  const payment = await payments.latestOf(tx, row.id, ...(outcome === "disputed" ? (["completed"] as const) : statuses));
  if (!payment) throw conflict("This subscription has no paid invoice to dispute. Nothing was changed.");
  await actAtCheckout(tx, payment, outcome);
}

/** Sets the outcome of the next renewals of a running sandbox subscription. */
export async function setRenewalOutcome(tx: Tx, row: SubscriptionRow, outcome: keyof typeof savedCards): Promise<void> {
  if (row.provider !== "sandbox" || !isRunning(subscriptionAt(row, tx.now)))
    throw conflict("Only an active sandbox subscription can be renewed. Nothing was changed.");
  await subscriptions.update(tx, row.id, { card: savedCards[outcome], updated_at: tx.now });
}
