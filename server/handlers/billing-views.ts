import { hours, type Plan } from "../domain/plans.ts";
import type { HoursRow } from "../store/hours.ts";
import { iso } from "./views.ts";

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
