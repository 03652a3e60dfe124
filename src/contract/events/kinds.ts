/** Every event kind: the eight that every server of this API has, and the extensions of this one. */
export const specifiedKinds = [
  "slot.submitted",
  "slot.accepted",
  "slot.rejected",
  "subscription.created",
  "subscription.renewed",
  "subscription.cancelled",
  "subscription.payment_failed",
  "test.ping",
] as const;

export const eventKinds = [
  ...specifiedKinds,
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
] as const;

export type EventKind = (typeof eventKinds)[number];
