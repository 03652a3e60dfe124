import { col, detail, type ItemOf, viewOf } from "../../cli/define.ts";
import type { Data } from "../../contract/index.ts";

export const balanceView = viewOf<ItemOf<"getBalance">>([
  "credit:balanceCents",
  col("hours:playtestMinutes", "minutes"),
  detail("currency"),
]);

export const paymentView = viewOf<ItemOf<"listPayments">>(
  [
    "id",
    "amount:amountCents",
    "status",
    "provider",
    "created:createdAt",
    detail("reference:externalId", "text"),
    detail("document:document.kind"),
    detail("number:document.number"),
  ],
  { empty: "No payments yet." },
);

export const planView = viewOf<ItemOf<"listPlans">>([
  "key",
  "name:displayName",
  "price:priceCents",
  "every:interval",
  "hours:hoursPerCycle",
  "per hour:pricePerHourCents",
]);

export const subscriptionView = viewOf<Data<"getSubscription">>([
  "plan:subscription.planName",
  "status:subscription.status",
  "price:subscription.priceCents",
  "every:subscription.interval",
  "hours left:playtestHours",
  "renews:nextRenewalAt",
  "ends:endsAt",
  detail("created:subscription.createdAt"),
  detail("end reason:subscription.endedReason"),
  detail("id:subscription.id", "text"),
]);

export const changedSubscriptionView = viewOf<ItemOf<"resumeSubscription">>([
  "plan:planName",
  "status",
  col("period ends:currentPeriodEnd", "ago"),
  "cancels at period end:cancelAtPeriodEnd",
  detail("id", "text"),
]);

export const hoursView = viewOf<ItemOf<"getPlaytestHours">>(["minutes:balanceMinutes", "hours:balanceHours"]);

export const historyView = viewOf<ItemOf<"listPlaytestHoursHistory">>(
  ["id", "minutes:amountMinutes", "source", "note", "created:createdAt"],
  { empty: "No playtest hours added or spent yet." },
);
