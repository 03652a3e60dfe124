import type { EventKind } from "../../src/contract/events/kinds.ts";

const slot = ["slotId", "playtestId", "gameId", "playerId"];
const payment = ["paymentId", "amountCents", "status", "provider"];
const subscription = ["subscriptionId", "planKey", "status"];
const payout = ["payoutId", "amountCents"];
const application = ["applicationId", "playtestId", "gameId", "playerId"];

/** The fields of each kind's data (decisions §10, §14). */
const fields: Record<EventKind, readonly string[]> = {
  "slot.reserved": [...slot, "reservedAt"],
  "slot.submitted": [...slot, "submittedAt"],
  "slot.accepted": [...slot, "acceptedAt"],
  "slot.rejected": [...slot, "rejectedAt"],
  "slot.expired": [...slot, "expiredAt"],
  "subscription.created": subscription,
  "subscription.renewed": subscription,
  "subscription.cancelled": subscription,
  "subscription.payment_failed": subscription,
  "payment.completed": payment,
  "payment.failed": payment,
  "payout.completed": payout,
  "payout.failed": payout,
  "chat.message": ["messageId", "conversationId", "senderType", "senderId"],
  "application.created": application,
  "application.approved": application,
  "application.rejected": application,
  "application.auto_rejected": application,
  "playtest.completed": ["playtestId", "gameId", "slots", "completedAt"],
  "webhook.disabled": ["webhookId", "url"],
  "test.ping": ["webhookId"],
};

const values: Record<string, unknown> = {
  amountCents: 2000,
  provider: "sandbox",
  planKey: "indie_monthly",
  senderType: "playtester",
  url: "https://example.com/webhook",
  slots: { open: 0, reserved: 0, submitted: 0, accepted: 1, rejected: 0, expired: 0 },
};

const statusOf = (kind: EventKind) => {
  if (kind === "payment.failed") return "failed";
  if (kind.startsWith("payment.")) return "completed";
  return kind === "subscription.payment_failed" ? "past_due" : "active";
};

/** Data as an event of this kind has it, about things that do not exist. `now` is ISO 8601. */
export function exampleData(kind: EventKind, from: { now: string; newId(): string }): Record<string, unknown> {
  const exampleOf = (field: string) => {
    if (field === "status") return statusOf(kind);
    if (field.endsWith("At")) return from.now;
    return values[field] ?? from.newId();
  };
  return Object.fromEntries(fields[kind].map((field) => [field, exampleOf(field)]));
}
