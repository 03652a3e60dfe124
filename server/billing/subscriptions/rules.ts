import { accounts, move, type Transfer } from "../../ledger/rules.ts";
import type { Reversed } from "../cards/dispute-rules.ts";
import type { Plan } from "./plans.ts";
import type { RunningRow, SubscriptionRow } from "./store.ts";

const day = 24 * 3_600_000;
const retryDays = [1, 3, 5];

/** When period `index` starts: whole calendar months or years from the anchor in UTC, on the month's last day where it is shorter. */
export function periodStart(anchorMs: number, interval: Plan["interval"], index: number): number {
  const anchor = new Date(anchorMs);
  const start = new Date(anchorMs);
  start.setUTCDate(1);
  start.setUTCMonth(anchor.getUTCMonth() + index * (interval === "year" ? 12 : 1));
  const lastDay = new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1, 0)).getUTCDate();
  start.setUTCDate(Math.min(anchor.getUTCDate(), lastDay));
  return start.getTime();
}

/** When a renewal is charged next after `failures` failed attempts: 1, 3 and 5 days after it fell due, then never. */
export function attemptAt(dueMs: number, failures: number): number | null {
  if (failures === 0) return dueMs;
  const days = retryDays[failures - 1];
  return days === undefined ? null : dueMs + days * day;
}

/** The subscription as it is at `now`: one that ran out ended at that millisecond, also before a job says so. */
export function subscriptionAt(row: SubscriptionRow, now: number): SubscriptionRow {
  if (row.status === "incomplete" && now >= row.checkout_expires_at)
    return { ...row, status: "cancelled", ended_at: row.checkout_expires_at, ended_reason: "checkout_expired" };
  const ranOut = row.status === "active" && row.cancel_at_period_end === 1 && now >= row.current_period_end!;
  return ranOut ? { ...row, status: "cancelled", ended_at: row.current_period_end, ended_reason: "cancelled" } : row;
}

export const isRunning = (row: SubscriptionRow): row is RunningRow => row.status === "active" || row.status === "past_due";

/** When it is charged next, and when it ends or ended: what `GET /billing/subscription` says beside it. */
export function outlook(row: SubscriptionRow): { nextRenewalAt: number | null; endsAt: number | null } {
  if (!isRunning(row)) return { nextRenewalAt: null, endsAt: row.ended_at };
  if (row.cancel_at_period_end === 1) return { nextRenewalAt: null, endsAt: row.current_period_end };
  return { nextRenewalAt: attemptAt(row.current_period_end!, row.failed_renewals), endsAt: null };
}

interface PlanPayment {
  paymentId: string;
  subscriptionId: string;
  ownerId: string;
  processor: string;
  plan: Plan;
}

/** A paid invoice of a plan: its price is revenue, its minutes are the owner's. */
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

/** Minutes that came in first make good what a chargeback left owing. */
export function settleMinutes(ownerId: string, refs: { paymentId?: string; id: string }, minutes: number): Transfer {
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

/** A plan's price taken back. */
export const planPriceTaken = ({ cents, processor, ...refs }: Reversed): Transfer => ({
  ...refs,
  asset: "USD",
  postings: move(accounts.revenueSubscription, accounts.processor(processor), cents),
});

/** A dispute of a plan's payment decided for us: what was taken of its price is back. */
export const planPriceReturned = ({ cents, processor, ...refs }: Reversed): Transfer => ({
  ...refs,
  asset: "USD",
  postings: move(accounts.processor(processor), accounts.revenueSubscription, cents),
});

/** The minutes of a payment that was taken back; those spent already are owed. `key` names what took it. */
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

/** The minutes of a payment that came back. */
export function planMinutesReturned(payment: PlanPayment, key: string): Transfer {
  const { paymentId, subscriptionId, ownerId, plan } = payment;
  const postings = move(accounts.minutesIssued, accounts.minutes(ownerId), plan.minutesPerCycle);
  return { eventKey: `invoice:dispute_won:${key}`, asset: "MIN", paymentId, subscriptionId, ownerId, postings, note: plan.name };
}
