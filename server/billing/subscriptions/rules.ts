import { accounts, move, type Transfer } from "../../ledger/rules.ts";
import type { Reversed } from "../cards/dispute-rules.ts";
import type { Plan } from "./plans.ts";
import type { RunningRow, SubscriptionRow } from "./store.ts";

const day = 24 * 3_600_000;
/** The days from each failed attempt to renew a subscription to the next one. */
const retryDays = [1, 2, 2];

/** The start of period `index`: whole calendar months or years after the anchor, in UTC. On the last day of a month that is too short. */
export function periodStart(anchorMs: number, interval: Plan["interval"], index: number): number {
  const anchor = new Date(anchorMs);
  const start = new Date(anchorMs);
  start.setUTCDate(1);
  start.setUTCMonth(anchor.getUTCMonth() + index * (interval === "year" ? 12 : 1));
  const lastDay = new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1, 0)).getUTCDate();
  start.setUTCDate(Math.min(anchor.getUTCDate(), lastDay));
  return start.getTime();
}

/**
 * The time of the next attempt after `failures` failed ones, the last of them at `failedMs`. Null when there is none. It does not follow
 * from the time when the renewal was due: after an outage of the server, attempts that were missed would all be made at once.
 */
export function retryAt(failedMs: number, failures: number): number | null {
  const days = retryDays[failures - 1];
  return days === undefined ? null : failedMs + days * day;
}

/** The subscription's state at `now`. An expired one counts as ended from its end on, even before the job has recorded it. */
export function subscriptionAt(row: SubscriptionRow, now: number): SubscriptionRow {
  if (row.status === "incomplete" && now >= row.checkout_expires_at)
    return { ...row, status: "cancelled", ended_at: row.checkout_expires_at, ended_reason: "checkout_expired" };
  const ranOut = row.status === "active" && row.cancel_at_period_end === 1 && now >= row.current_period_end!;
  return ranOut ? { ...row, status: "cancelled", ended_at: row.current_period_end, ended_reason: "cancelled" } : row;
}

export const isRunning = (row: SubscriptionRow): row is RunningRow => row.status === "active" || row.status === "past_due";

/**
 * When the subscription is charged next, and when it ends or ended, for `GET /billing/subscription`. `failedMs` is when the last attempt to
 * renew it failed, if it is past due.
 */
export function outlook(
  row: SubscriptionRow,
  failedMs: number | undefined,
): { nextRenewalAt: number | null; endsAt: number | null } {
  if (!isRunning(row)) return { nextRenewalAt: null, endsAt: row.ended_at };
  if (row.cancel_at_period_end === 1) return { nextRenewalAt: null, endsAt: row.current_period_end };
  const nextRenewalAt = failedMs === undefined ? row.current_period_end : retryAt(failedMs, row.failed_renewals);
  return { nextRenewalAt, endsAt: null };
}

interface PlanPayment {
  paymentId: string;
  subscriptionId: string;
  ownerId: string;
  processor: string;
  plan: Plan;
}

/** The transfers of a paid plan: its price is posted as revenue, and its minutes are added to the owner's. */
export function planTransfers(payment: PlanPayment): Transfer[] {
  const { paymentId, subscriptionId, ownerId, processor, plan } = payment;
  const refs = { paymentId, subscriptionId, ownerId };
  const paid = move(accounts.processor(processor), accounts.revenueSubscription, plan.priceCents);
  const granted = move(accounts.minutesIssued, accounts.minutes(ownerId), plan.minutesPerCycle);
  return [
    { ...refs, eventKey: `subscription:${paymentId}`, asset: "USD", postings: paid },
    { ...refs, eventKey: `invoice:${paymentId}`, asset: "MIN", postings: granted, note: plan.name },
  ];
}

/** Uses new minutes to settle the minutes that are owed after a chargeback. */
export function settleMinutes(
  ownerId: string,
  refs: { paymentId?: string; playtestId?: string; id: string },
  minutes: number,
): Transfer {
  const postings = move(accounts.minutes(ownerId), accounts.minutesReceivable(ownerId), minutes);
  const { id, ...rest } = refs;
  return {
    ...rest,
    eventKey: `chargeback:settled:${id}`,
    asset: "MIN",
    ownerId,
    postings,
    note: "Hours owed after a chargeback",
  };
}

/** The transfer for the price of a plan that was charged back or refunded. */
export const planPriceTaken = ({ cents, processor, ...refs }: Reversed): Transfer => ({
  ...refs,
  asset: "USD",
  postings: move(accounts.revenueSubscription, accounts.processor(processor), cents),
});

/** The transfer for the price of a plan that was returned after a dispute was won. */
export const planPriceReturned = ({ cents, processor, ...refs }: Reversed): Transfer => ({
  ...refs,
  asset: "USD",
  postings: move(accounts.processor(processor), accounts.revenueSubscription, cents),
});

/** Removes the minutes of a payment that was taken back. Minutes that were spent already are owed. `key` identifies the dispute or refund. */
export function planMinutesTaken(payment: PlanPayment, key: string, balanceMinutes: number): Transfer {
  const { paymentId, subscriptionId, ownerId, plan } = payment;
  const kept = Math.min(plan.minutesPerCycle, balanceMinutes);
  const postings = [
    { account: accounts.minutes(ownerId), amount: kept },
    { account: accounts.minutesReceivable(ownerId), amount: plan.minutesPerCycle - kept },
    { account: accounts.minutesIssued, amount: -plan.minutesPerCycle },
  ];
  return { eventKey: `chargeback:${key}`, asset: "MIN", paymentId, subscriptionId, ownerId, postings, note: plan.name };
}

/** Returns the minutes of a payment whose price was returned. */
export function planMinutesReturned(payment: PlanPayment, key: string): Transfer {
  const { paymentId, subscriptionId, ownerId, plan } = payment;
  const postings = move(accounts.minutesIssued, accounts.minutes(ownerId), plan.minutesPerCycle);
  return { eventKey: `invoice:dispute_won:${key}`, asset: "MIN", paymentId, subscriptionId, ownerId, postings, note: plan.name };
}
