import type { Tx } from "../../app/tx.ts";
import type { ChargeOutcome } from "../cards/processor.ts";
import { takeFee } from "../fees.ts";
import { cancelPayment, declinePayment, payPayment } from "../settle.ts";
import * as payments from "../store.ts";
import { planOf } from "./plans.ts";
import { isRunning, retryAt } from "./rules.ts";
import { emitSubscription, end, scheduleRenewal } from "./service.ts";
import * as subscriptions from "./store.ts";

type Row = subscriptions.SubscriptionRow;

export interface Renewal {
  subscription: Row;
  payment: payments.PaymentRow;
  /** Whether the payment was made by an earlier try, whose outcome is not known. */
  isRepeat: boolean;
}

/**
 * The payment to charge at the end of a period. Undefined when the plan ends or was renewed already. The payment is created once, before
 * the card is charged, and found again after a crash: the charge contains its id, so that the card is charged only once.
 */
export async function beginRenewal(tx: Tx, id: string, periodIndex: number): Promise<Renewal | undefined> {
  const row = await subscriptions.find(tx, id);
  if (!row || row.period_index !== periodIndex) return undefined;
  if (!isRunning(row)) return void (await dropRenewal(tx, row));
  if (row.cancel_at_period_end === 1 || !tx.config.payments.enabled) {
    const ended = await end(tx, row, "cancelled", row.current_period_end!);
    await emitSubscription(tx, "subscription.cancelled", ended);
    return void (await dropRenewal(tx, ended));
  }
  const open = await payments.latestOf(tx, row.id, "pending");
  return { subscription: row, payment: open ?? insertRenewal(tx, row), isRepeat: open !== undefined };
}

/** Cancels the renewal of a plan that ended while its charge was pending. If the charge is reported as paid later, it is still posted. */
async function dropRenewal(tx: Tx, row: Row): Promise<void> {
  const open = await payments.latestOf(tx, row.id, "pending");
  if (open) await cancelPayment(tx, open);
}

function insertRenewal(tx: Tx, row: Row): payments.PaymentRow {
  const now = tx.now;
  const id = tx.newId();
  const { priceCents, name } = planOf(row.plan_key);
  return payments.insert(tx, {
    id,
    owner_id: row.owner_id,
    amount_cents: priceCents,
    status: "pending",
    provider: row.provider,
    external_id: `renewal_${id}`,
    purpose: "subscription",
    subscription_id: row.id,
    description: `${name} plan, renewal`,
    created_at: now,
    updated_at: now,
  });
}

/** Records the result of the charge: starts the next period, or makes the plan past due with another attempt, or ends it. */
export async function endRenewal(tx: Tx, renewal: Renewal, outcome: ChargeOutcome): Promise<void> {
  const payment = (await payments.find(tx, renewal.payment.id))!;
  if (outcome.paid) {
    await payments.setReference(tx, payment.id, outcome.reference);
    await payPayment(tx, { ...payment, external_id: outcome.reference });
    await takeFee(tx, payment, outcome.feeCents);
    return;
  }
  if (!(await declinePayment(tx, payment))) return;
  const row = (await subscriptions.find(tx, renewal.subscription.id))!;
  if (isRunning(row)) await fail(tx, row);
}

async function fail(tx: Tx, row: subscriptions.RunningRow): Promise<void> {
  const now = tx.now;
  const failed = { failed_renewals: row.failed_renewals + 1, updated_at: now };
  const late = await subscriptions.transition(tx, row, "miss", failed);
  const next = retryAt(now, failed.failed_renewals);
  await emitSubscription(tx, "subscription.payment_failed", late, { retryAt: next });
  if (next !== null) return scheduleRenewal(tx, late, next);
  await emitSubscription(tx, "subscription.cancelled", await end(tx, late, "payment_failed"));
}
