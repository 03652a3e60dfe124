import { payoutMethods } from "../../../src/contract/accounts/payout-methods.ts";
import { endedReasons, invoiceKinds, planKeys } from "../../../src/contract/billing.ts";
import { paymentStatuses, payoutStatuses, reversalStatuses, subscriptionStatuses } from "../../../src/contract/states/index.ts";
import type { CardProcessorName } from "../../config/card-processors.ts";
import { int, oneOf, orElse, orNull, text, textOf } from "./columns.ts";

/** Ways to pay without a card. */
export type OtherProvider = "x402" | "credit" | "playtest_hours";

// biome-ignore format: several columns in a line, as in the migrations
export const money = {
  ledger_accounts: { id: text, asset: oneOf(["USD", "MIN"]), balance: int },
  ledger_transfers: {
    id: text, event_key: text, asset: oneOf(["USD", "MIN"]), source: text, note: orNull(text), owner_id: orNull(text),
    subscription_id: orNull(text), payment_id: orNull(text), playtest_id: orNull(text), created_at: int,
  },
  ledger_postings: { id: text, transfer_id: text, account_id: text, amount: int, balance_after: orNull(int), created_at: int },
  payments: {
    id: text, owner_id: text, amount_cents: int, status: oneOf(paymentStatuses),
    provider: textOf<CardProcessorName | OtherProvider>(), external_id: text, purpose: oneOf(["credit", "order", "subscription"]),
    playtest_id: orNull(text), subscription_id: orNull(text), return_url: orNull(text), description: orNull(text),
    checkout_hash: orNull(text), expires_at: orNull(int), completed_at: orNull(int), flagged: orNull(text),
    /** When it was flagged last; null in flags of earlier versions. And when an operator looked at it; null until one does. */
    flagged_at: orNull(int), flag_cleared_at: orNull(int),
    fee_cents: orElse(int, 0), created_at: int, updated_at: int,
  },
  /** A dispute or refund: money of a payment that was returned to the card. */
  payment_reversals: {
    /** The processor's id of it, or the payment's id for a dispute recorded by hand. */
    id: text,
    payment_id: text, kind: oneOf(["dispute", "refund"]), cents: int,
    /** `returned`: a dispute that was won or a refund that failed. This state is final. */
    state: oneOf(reversalStatuses),
    /** The processor's total fee for a dispute, in cents. */
    fee_cents: orElse(int, 0),
    /** When an administrator ended the freeze that comes with a dispute. */
    lifted_at: orNull(int),
    /** Until when the bank waits for an answer to it; null if it waits for none, or if that is not known. */
    answer_by: orNull(int),
    created_at: int, updated_at: int,
  },
  processor_events: { provider: text, event_id: text, kind: text, received_at: int },
  subscriptions: {
    id: text, owner_id: text, plan_key: oneOf(planKeys), status: oneOf(subscriptionStatuses),
    provider: textOf<CardProcessorName>(), checkout_expires_at: int,
    /** The processor's id of the card that renewals charge. Never a card number. */
    card: orNull(text),
    /** When the subscription started. Periods are whole months or years from this time. */
    anchor_at: orNull(int),
    period_index: int, current_period_start: orNull(int),
    /** The end of the current period, when the next renewal is due. */
    current_period_end: orNull(int),
    /** The number of failed attempts to charge the renewal that is due. */
    failed_renewals: int,
    cancel_at_period_end: int, cancelled_at: orNull(int), ended_at: orNull(int), ended_reason: orNull(oneOf(endedReasons)),
    created_at: int, updated_at: int,
  },
  payouts: {
    id: text, user_id: text, amount_cents: int, status: oneOf(payoutStatuses), failed_at: orNull(int),
    /** The following are null for a payout that was recorded by itself. */
    batch_id: orNull(text),
    reference: orNull(text), method: orNull(oneOf(payoutMethods)), masked: orNull(text),
    /** The payout details as they were when it was made, sealed with the context of `sealingContext`. Null once it is settled. */
    details: orNull(text),
    completed_at: orNull(int), failure: orNull(text), created_at: int,
  },
  payout_batches: { id: text, created_by: text, method: orNull(oneOf(payoutMethods)), min_cents: int, created_at: int },
  billing_documents: {
    /** For an invoice, that of its payment. */
    id: text,
    /** What it is for, once: that of a credit note is the key of the transfer that took the money. */
    event_key: text,
    owner_id: text, payment_id: text,
    /** `void`: an invoice of an earlier version for an order that was paid with credit or hours. Only its number is used. */
    kind: oneOf([...invoiceKinds, "void"]),
    issuer: text, year: int, sequence: int, number: text,
    /** What it adds to the money received: below zero for a credit note, 0 when void. */
    total_cents: int,
    /** The InvoiceDocument as JSON. */
    document: text,
    created_at: int,
  },
  invoice_numbers: { issuer: text, year: int, last: int },
  billing_details: {
    user_id: text, name: orNull(text), address: orNull(text), country: orNull(text), tax_number: orNull(text), updated_at: int,
  },
};
