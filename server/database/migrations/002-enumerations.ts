import type { Enumerated } from "../types.ts";

const roles = ["game_owner", "playtester", "admin"];
const chains = ["base", "ethereum", "solana"];
const currencies = ["USDC", "ETH", "SOL"];
const assets = ["USD", "MIN"];
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
];

export const enumerated = (table: string, columns: Record<string, readonly string[]>): Enumerated[] =>
  Object.entries(columns).map(([column, values]) => ({ table, column, values }));

/**
 * Restricts every enumerated column to its values. Columns with values from the configuration or from other companies stay unrestricted:
 * kinds of jobs, names of card processors and the types of their events.
 */
export const enumerations = {
  name: "002-enumerations",
  statements: [
    // Jobs queued under the earlier name of this kind.
    "UPDATE jobs SET kind = 'expire-order', unique_key = 'expire-order' || SUBSTR(unique_key, LENGTH('lapse-order') + 1) WHERE kind = 'lapse-order'",
    ...enumerated("users", { role: roles }),
    ...enumerated("one_time_tokens", { purpose: ["verify", "reset", "sign-in"] }),
    ...enumerated("games", { status: ["active", "suspended"] }),
    ...enumerated("uploads", {
      kind: ["build", "video"],
      status: ["open", "completed", "replaced", "refused", "terminated", "expired"],
    }),
    ...enumerated("playtests", {
      visibility: ["public", "private"],
      status: ["pending_payment", "active", "completed", "cancelled", "expired"],
      targeting_type: ["new", "past"],
      targeting_scope: ["game", "owner"],
      past_playtester_scope: ["any", "specific"],
      selection_mode: ["automatic", "manual"],
      paid_with: ["credit", "hours", "free"],
    }),
    ...enumerated("slots", {
      status: ["open", "reserved", "submitted", "accepted", "rejected", "blocked", "expired", "cancelled", "publishing"],
    }),
    ...enumerated("blocked_reports", {
      reason_code: ["build_unavailable", "crash", "key_invalid", "not_as_described", "unsafe", "other"],
    }),
    ...enumerated("transcriptions", {
      status: ["pending", "processing", "approved", "failed"],
      selected_version: ["original", "edited"],
    }),
    ...enumerated("applications", { status: ["pending", "approved", "rejected", "auto_rejected", "withdrawn"] }),
    ...enumerated("ledger_accounts", { asset: assets }),
    ...enumerated("ledger_transfers", { asset: assets }),
    ...enumerated("payments", {
      status: ["pending", "completed", "failed", "cancelled", "refunded", "disputed"],
      purpose: ["credit", "order", "subscription"],
    }),
    ...enumerated("payment_reversals", { kind: ["dispute", "refund"], state: ["taken", "returned"] }),
    ...enumerated("subscriptions", {
      plan_key: ["indie_monthly", "indie_yearly", "studio_monthly", "studio_yearly"],
      status: ["incomplete", "active", "past_due", "cancelled"],
      ended_reason: [
        "cancelled",
        "plan_changed",
        "payment_failed",
        "chargeback",
        "refunded",
        "checkout_cancelled",
        "checkout_expired",
      ],
    }),
    ...enumerated("crypto_quotes", { chain: chains, currency: currencies }),
    ...enumerated("crypto_proofs", { chain: chains }),
    ...enumerated("crypto_deposits", {
      chain: chains,
      currency: currencies,
      status: ["credited", "suspense", "refunded"],
      note: ["short", "late", "again", "unclear", "order_over", "unmatched"],
    }),
    ...enumerated("crypto_scans", { chain: chains }),
    ...enumerated("sandbox_chain", { chain: chains, currency: currencies, status: ["success", "reverted"] }),
    ...enumerated("payouts", { status: ["completed", "failed"] }),
    ...enumerated("events", { kind: eventKinds }),
    ...enumerated("notifications", { type: eventKinds }),
    ...enumerated("webhook_deliveries", {
      event: eventKinds,
      state: ["pending", "paused", "held", "test", "delivered", "failed", "cancelled"],
    }),
    ...enumerated("messages", { sender_type: ["game_owner", "playtester"] }),
    ...enumerated("jobs", { state: ["queued", "dead"] }),
  ],
};
