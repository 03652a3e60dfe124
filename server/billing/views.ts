import type { DisputeStatus } from "../../src/contract/billing.ts";
import { iso, isoOrNull } from "../lib/time.ts";
import { coins } from "./crypto/rules.ts";
import type { HoursRow } from "./hours-store.ts";
import type { DisputeRow } from "./reversals-store.ts";
import type { FlaggedRow } from "./store.ts";
import { hours, type Plan, planOf } from "./subscriptions/plans.ts";
import type { SubscriptionRow } from "./subscriptions/store.ts";
import type { SuspenseRow } from "./suspense-store.ts";

export const planView = (plan: Plan) => ({
  key: plan.key,
  name: plan.name,
  displayName: plan.displayName,
  tier: plan.tier,
  interval: plan.interval,
  priceCents: plan.priceCents,
  minutesPerCycle: plan.minutesPerCycle,
  hoursPerCycle: hours(plan.minutesPerCycle),
  pricePerHourCents: Math.round(plan.priceCents / hours(plan.minutesPerCycle)),
});

export const hoursEntryView = (entry: HoursRow) => ({
  id: entry.id,
  amountMinutes: -entry.amount,
  source: entry.event_key,
  note: entry.note,
  subscriptionId: entry.subscription_id,
  paymentId: entry.payment_id,
  playtestRequestId: entry.playtest_id,
  createdAt: iso(entry.created_at),
});

export function subscriptionView(row: SubscriptionRow) {
  const { name, tier, interval, priceCents, minutesPerCycle, hoursPerCycle } = planView(planOf(row.plan_key));
  return {
    id: row.id,
    planKey: row.plan_key,
    planName: name,
    tier,
    interval,
    priceCents,
    minutesPerCycle,
    hoursPerCycle,
    status: row.status,
    currentPeriodStart: isoOrNull(row.current_period_start),
    currentPeriodEnd: isoOrNull(row.current_period_end),
    cancelAtPeriodEnd: row.cancel_at_period_end === 1,
    cancelledAt: isoOrNull(row.cancelled_at),
    endedAt: isoOrNull(row.ended_at),
    endedReason: row.ended_reason,
    createdAt: iso(row.created_at),
  };
}

export const disputeView = (row: DisputeRow) => ({
  id: row.id,
  status: disputeStatusOf(row),
  paymentId: row.payment_id,
  userId: row.owner_id,
  displayName: row.owner_name,
  amountCents: row.cents,
  paymentCents: row.payment_cents,
  answerBy: isoOrNull(row.answer_by),
  createdAt: iso(row.created_at),
  liftedAt: isoOrNull(row.lifted_at),
});

export const flaggedView = (row: FlaggedRow) => ({
  id: row.id,
  userId: row.owner_id,
  displayName: row.owner_name,
  amountCents: row.amount_cents,
  status: row.status,
  provider: row.provider,
  externalId: row.external_id,
  reason: row.flagged,
  createdAt: iso(row.created_at),
});

function disputeStatusOf({ state, lifted_at, cents }: DisputeRow): DisputeStatus {
  if (state === "returned") return "won";
  return lifted_at === null && cents > 0 ? "open" : "lifted";
}

export const suspenseView = (entry: SuspenseRow) => ({
  id: entry.id,
  status: entry.status,
  reason: entry.note ?? "unclear",
  amountCents: entry.value_cents,
  chain: entry.chain,
  currency: entry.currency,
  cryptoAmount: coins(BigInt(entry.amount_atomic), entry.currency),
  txHash: entry.tx_hash,
  sender: entry.sender,
  proof: entry.proof && {
    by: entry.proof,
    userId: entry.proved_by,
    signature: entry.signature,
    provedAt: isoOrNull(entry.proved_at),
  },
  userId: entry.credited_to ?? entry.owner_id,
  displayName: entry.display_name,
  paymentId: entry.payment_id,
  note: entry.resolution,
  resolvedBy: entry.resolved_by,
  resolvedAt: isoOrNull(entry.resolved_at),
  createdAt: iso(entry.created_at),
});
