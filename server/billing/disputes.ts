import type { Deps } from "../deps.ts";
import { creditDispute, creditDisputeWon } from "../domain/disputes.ts";
import { accounts } from "../domain/ledger.ts";
import { conflict } from "../problem.ts";
import type { Query } from "../store/db.ts";
import { balance, post } from "../store/ledger.ts";
import * as payments from "../store/payments.ts";
import { disputePlan, restorePlanHours } from "./subscriptions.ts";

/** A chargeback: the bank took the money back (decisions §7). 409 unless the payment is a completed one by card. */
export async function disputePayment(deps: Deps, tx: Query, payment: payments.PaymentRow): Promise<void> {
  const now = deps.clock.now();
  if (payment.provider !== "sandbox" && payment.provider !== "stripe")
    throw conflict("Only a card payment can be charged back. Nothing was changed.");
  if (!(await payments.transition(tx, payment.id, ["completed"], "disputed", now)))
    throw conflict(`Only a completed payment can be disputed; this one is ${payment.status}. Nothing was changed.`);
  if (payment.purpose === "subscription") return disputePlan(deps, tx, payment);
  const available = await balance(tx, accounts.credit(payment.owner_id));
  await post(tx, creditDispute(factsOf(payment), available), { now, newId: deps.newId });
}

/** The bank gave the money back: so does the ledger, once. A plan that ended stays ended; its hours return. */
export async function winDispute(deps: Deps, tx: Query, payment: payments.PaymentRow): Promise<void> {
  const now = deps.clock.now();
  if (!(await payments.transition(tx, payment.id, ["disputed"], "completed", now))) return;
  if (payment.purpose === "subscription") return restorePlanHours(deps, tx, payment);
  const owed = await balance(tx, accounts.receivable(payment.owner_id));
  await post(tx, creditDisputeWon(factsOf(payment), owed), { now, newId: deps.newId });
}

const factsOf = (payment: payments.PaymentRow) => ({
  paymentId: payment.id,
  ownerId: payment.owner_id,
  processor: payment.provider,
  cents: payment.amount_cents,
});
