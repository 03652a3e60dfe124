import type { EndedReason } from "../../../src/contract/billing.ts";
import type { EventKind } from "../../../src/contract/events/kinds.ts";
import type { Deps } from "../../app/deps.ts";
import type { ReadTx, Tx } from "../../app/tx.ts";
import { emit } from "../../events/emit.ts";
import { mailUserAbout } from "../../events/event-mails.ts";
import { accounts } from "../../ledger/rules.ts";
import { balance, postAll } from "../../ledger/store.ts";
import { badRequest } from "../../lib/api-error.ts";
import { utc } from "../../lib/time.ts";
import type { Reversed } from "../cards/dispute-rules.ts";
import { settleOwedMinutes } from "../debts.ts";
import type { Period } from "../invoices/rules.ts";
import { renewalFailedLetter } from "../letters.ts";
import { lapse, openCheckout, requireCards } from "../payments.ts";
import * as payments from "../store.ts";
import { type PlanKey, planOf } from "./plans.ts";
import {
  isRunning,
  periodStart,
  planMinutesReturned,
  planMinutesTaken,
  planPriceReturned,
  planPriceTaken,
  planTransfers,
  subscriptionAt,
} from "./rules.ts";
import * as subscriptions from "./store.ts";

type Row = subscriptions.SubscriptionRow;

/** The owner's plan that is active or past due now. */
export async function runningOf(q: ReadTx, ownerId: string): Promise<subscriptions.RunningRow | undefined> {
  const row = await subscriptions.findRunning(q, ownerId);
  return row && isRunning(subscriptionAt(row, q.now)) ? row : undefined;
}

/** 400 for the owner's running plan, unless it is past due and is not being charged: then a checkout of it pays with another card. */
async function requireUnpaid(deps: Deps, tx: Tx, running: subscriptions.RunningRow): Promise<void> {
  if (running.cancel_at_period_end === 1)
    throw badRequest("You already have this plan, and its cancellation is scheduled. Nothing was started. Resume it instead.");
  if (running.status === "active") throw badRequest("You already have this plan. Nothing was started. It renews automatically.");
  // A processor that is no longer configured charges nothing.
  const isCharged = running.provider === requireCards(deps).name && (await payments.latestOf(tx, running.id, "pending"));
  if (isCharged)
    throw badRequest("The renewal of this plan is being charged. Nothing was started. Look at the subscription in an hour.");
}

/** Starts the checkout of a plan: creates an incomplete subscription and its first payment. 400 if the owner has this plan already. */
export async function startCheckout(deps: Deps, tx: Tx, ownerId: string, planKey: PlanKey) {
  const running = await runningOf(tx, ownerId);
  if (running?.plan_key === planKey) await requireUnpaid(deps, tx, running);
  const now = tx.now;
  const subscription = await subscriptions.insert(tx, {
    id: tx.newId(),
    owner_id: ownerId,
    plan_key: planKey,
    status: "incomplete",
    provider: requireCards(deps).name,
    checkout_expires_at: now + deps.config.checkout.expireMs,
    period_index: 0,
    failed_renewals: 0,
    cancel_at_period_end: 0,
    created_at: now,
    updated_at: now,
  });
  const { priceCents: amountCents, name } = planOf(planKey);
  const checkout = { ownerId, amountCents, purpose: "subscription", subscriptionId: subscription.id } as const;
  const { payment, checkoutUrl } = await openCheckout(deps, tx, { ...checkout, description: `${name} plan` });
  const about = { sessionId: payment.external_id, subscriptionId: subscription.id, paymentId: payment.id };
  return { checkoutUrl, ...about, isPlanChange: running !== undefined && running.plan_key !== planKey };
}

/**
 * Applies a completed payment of a plan: adds its hours once, and starts or renews the subscription. Returns the period that it pays for,
 * unless the subscription had ended.
 */
export async function deliverPlan(tx: Tx, payment: payments.PaymentRow, card: string | undefined): Promise<Period | undefined> {
  const row = (await subscriptions.find(tx, payment.subscription_id!))!;
  await postAll(tx, planTransfers(factsOf(row, payment)));
  await settleOwedMinutes(tx, row.owner_id, { id: payment.id, paymentId: payment.id });
  if (row.anchor_at === null) return activate(tx, row, card);
  if (isRunning(row)) return renew(tx, row);
  await payments.flag(tx, payment.id, "the subscription had ended when its renewal was paid; the hours were added", tx.now);
  return undefined;
}

async function activate(tx: Tx, row: Row, card: string | undefined): Promise<Period> {
  const now = tx.now;
  const running = await subscriptions.findRunning(tx, row.owner_id);
  if (running) await replace(tx, running);
  const begun = { card: card ?? null, anchor_at: now, ended_at: null, ended_reason: null };
  const changes = { ...begun, ...periodOf({ ...row, ...begun }, 0), updated_at: now };
  const started = await subscriptions.transition(tx, subscriptions.requireMove(row, "start"), "start", changes);
  await closeCheckouts(tx, started);
  await scheduleRenewal(tx, started, changes.current_period_end);
  await emitSubscription(tx, "subscription.created", started);
  return paidPeriod(changes);
}

/**
 * Ends the old plan after a change of plan or the payment of a past due one, at once and without proration. Its hours stay, and the new plan
 * adds all of its hours.
 */
async function replace(tx: Tx, running: subscriptions.RunningRow): Promise<void> {
  const now = tx.now;
  const seen = subscriptionAt(running, now);
  const ranOut = seen.status === "cancelled";
  const ended = await subscriptions.transition(tx, running, "end", {
    ended_at: ranOut ? seen.ended_at : now,
    ended_reason: ranOut ? seen.ended_reason : "plan_changed",
    updated_at: now,
  });
  await emitSubscription(tx, "subscription.cancelled", ended);
}

async function renew(tx: Tx, row: subscriptions.RunningRow): Promise<Period> {
  const changes = { failed_renewals: 0, ...periodOf(row, row.period_index + 1), updated_at: tx.now };
  const renewed = await subscriptions.transition(tx, row, "renew", changes);
  await closeCheckouts(tx, row);
  await scheduleRenewal(tx, renewed, changes.current_period_end);
  await emitSubscription(tx, "subscription.renewed", renewed);
  return paidPeriod(changes);
}

/** Closes the checkouts of a plan that was paid another way, so that it is not paid twice. */
async function closeCheckouts(tx: Tx, row: Row): Promise<void> {
  for (const { id } of await subscriptions.openPayments(tx, row)) await lapse(tx, id, tx.now);
}

const paidPeriod = (row: { current_period_start: number; current_period_end: number }): Period => ({
  from: row.current_period_start,
  to: row.current_period_end,
});

/** Period `index` of a subscription that has started. */
function periodOf(row: Row, index: number) {
  const { interval } = planOf(row.plan_key);
  return {
    period_index: index,
    current_period_start: periodStart(row.anchor_at!, interval, index),
    current_period_end: periodStart(row.anchor_at!, interval, index + 1),
  };
}

export const scheduleRenewal = (tx: Tx, row: Row, runAt: number): Promise<void> =>
  tx.schedule({
    kind: "renew-subscription",
    key: `${row.id} ${row.period_index} ${row.failed_renewals}`,
    payload: { subscriptionId: row.id, periodIndex: row.period_index },
    runAt,
  });

/** Ends a subscription. It cannot be resumed. */
export function end(
  tx: Tx,
  row: Row & { status: "incomplete" | "active" | "past_due" },
  reason: EndedReason,
  at?: number,
): Promise<Row> {
  const now = tx.now;
  return subscriptions.transition(tx, row, "end", { ended_at: at ?? now, ended_reason: reason, updated_at: now });
}

/** Ends a subscription that never started, when its checkout ends. */
export async function abandon(tx: Tx, payment: payments.PaymentRow, reason: EndedReason) {
  const row = await subscriptions.find(tx, payment.subscription_id!);
  if (row && subscriptions.isIn(row, "incomplete")) await end(tx, row, reason);
}

interface PlanReversal {
  reversed: Reversed;
  /** Identifies the dispute or refund that took or returned the minutes. Undefined if the minutes do not change. */
  minutesKey: string | undefined;
}

/** Posts a chargeback or refund of a plan's payment. With `minutesKey`, its hours are removed too. */
export async function takePlan(tx: Tx, payment: payments.PaymentRow, { reversed, minutesKey }: PlanReversal): Promise<void> {
  const row = (await subscriptions.find(tx, payment.subscription_id!))!;
  const transfers = [{ ...planPriceTaken(reversed), subscriptionId: row.id }];
  if (minutesKey !== undefined) {
    const minutes = await balance(tx, accounts.minutes(row.owner_id));
    transfers.push({ ...planMinutesTaken(factsOf(row, payment), minutesKey, minutes), subscriptionId: row.id });
  }
  await postAll(tx, transfers);
}

/** Returns the money and hours of a plan after a dispute was won. Hours that are owed are settled first. */
export async function restorePlan(tx: Tx, payment: payments.PaymentRow, { reversed, minutesKey }: PlanReversal): Promise<void> {
  const row = (await subscriptions.find(tx, payment.subscription_id!))!;
  const transfers = [{ ...planPriceReturned(reversed), subscriptionId: row.id }];
  if (minutesKey !== undefined)
    transfers.push({ ...planMinutesReturned(factsOf(row, payment), minutesKey), subscriptionId: row.id });
  await postAll(tx, transfers);
  if (minutesKey !== undefined)
    await settleOwedMinutes(tx, row.owner_id, { id: `dispute_won:${minutesKey}`, paymentId: payment.id });
}

/** Ends a plan whose payment was charged back or refunded. `hours`: whether the plan's hours were taken with it. */
export async function endDisputedPlan(
  tx: Tx,
  payment: payments.PaymentRow,
  reason: "chargeback" | "refunded",
  hours: "kept" | "taken",
): Promise<void> {
  const row = (await subscriptions.find(tx, payment.subscription_id!))!;
  if (isRunning(row)) await emitSubscription(tx, "subscription.cancelled", await end(tx, row, reason), { hours });
}

const factsOf = (row: Row, payment: payments.PaymentRow) => ({
  paymentId: payment.id,
  subscriptionId: row.id,
  ownerId: row.owner_id,
  processor: payment.provider,
  plan: planOf(row.plan_key),
});

interface About {
  /** When a renewal that could not be charged is tried again (ms), if it is. */
  retryAt?: number | null;
  /** What became of the hours of a plan that was cancelled. */
  hours?: "kept" | "taken";
}

/** Records the event, and emails the owner when a renewal could not be charged. */
export async function emitSubscription(
  tx: Tx,
  kind: Extract<EventKind, `subscription.${string}`>,
  row: Row,
  { retryAt = null, hours = "kept" }: About = {},
): Promise<void> {
  const { name: planName } = planOf(row.plan_key);
  const until = retryAt === null ? undefined : utc(retryAt);
  await emit(tx, [{ id: row.owner_id, role: "game_owner" }], {
    kind,
    data: { subscriptionId: row.id, planKey: row.plan_key, status: row.status },
    notice: { planName, until, hours, hasEnded: row.status === "cancelled" },
  });
  if (kind !== "subscription.payment_failed") return;
  await mailUserAbout(tx, row.owner_id, kind, (zone) => renewalFailedLetter({ config: tx.config, planName, retryAt, zone }));
}
