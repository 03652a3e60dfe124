/** Every event kind. Other servers of this API need not have those below `test.ping`. */
export const eventKinds = [
  "slot.submitted",
  "slot.accepted",
  "slot.rejected",
  "subscription.created",
  "subscription.renewed",
  "subscription.cancelled",
  "subscription.payment_failed",
  "test.ping",
  "slot.reserved",
  "slot.expired",
  "payment.completed",
  "payment.failed",
  "payout.completed",
  "payout.failed",
  "chat.message",
  "application.created",
  "application.approved",
  "application.rejected",
  "application.auto_rejected",
  "playtest.completed",
  "webhook.disabled",
  "slot.blocked",
  "slot.resolved",
  "playtest.keys_low",
] as const;

export type EventKind = (typeof eventKinds)[number];
