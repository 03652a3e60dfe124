import { col, detail, type View } from "../../cli/define.ts";

export const balanceView: View = {
  columns: [col("credit", "balanceCents", "usd"), col("hours", "playtestMinutes", "minutes"), detail("currency", "currency")],
};

export const paymentView: View = {
  columns: [
    col("id", "id", "id"),
    col("amount", "amountCents", "usd"),
    col("status", "status", "status"),
    col("provider", "provider"),
    col("created", "createdAt", "ago"),
    detail("reference", "externalId"),
    detail("document", "document.kind"),
    detail("number", "document.number"),
  ],
  empty: "No payments yet.",
};

export const planView: View = {
  columns: [
    col("key", "key"),
    col("name", "displayName"),
    col("price", "priceCents", "usd"),
    col("every", "interval"),
    col("hours", "hoursPerCycle"),
    col("per hour", "pricePerHourCents", "usd"),
  ],
};

export const subscriptionView: View = {
  columns: [
    col("plan", "subscription.planName"),
    col("status", "subscription.status", "status"),
    col("price", "subscription.priceCents", "usd"),
    col("every", "subscription.interval"),
    col("hours left", "playtestHours"),
    col("renews", "nextRenewalAt", "ago"),
    col("ends", "endsAt", "ago"),
    detail("created", "subscription.createdAt", "ago"),
    detail("end reason", "subscription.endedReason"),
    detail("id", "subscription.id"),
  ],
};

export const changedSubscriptionView: View = {
  columns: [
    col("plan", "planName"),
    col("status", "status", "status"),
    col("period ends", "currentPeriodEnd", "ago"),
    col("cancels at period end", "cancelAtPeriodEnd"),
    detail("id", "id"),
  ],
};

export const hoursView: View = { columns: [col("minutes", "balanceMinutes"), col("hours", "balanceHours")] };

export const historyView: View = {
  columns: [
    col("id", "id", "id"),
    col("minutes", "amountMinutes"),
    col("source", "source"),
    col("note", "note"),
    col("created", "createdAt", "ago"),
  ],
  empty: "No playtest hours added or spent yet.",
};
