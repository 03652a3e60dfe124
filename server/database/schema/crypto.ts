import { chains, currencies } from "../../../src/contract/headers.ts";
import { depositStatuses } from "../../../src/contract/states/index.ts";
import { int, oneOf, orNull, text } from "./columns.ts";

export const signedPaymentStatuses = ["settling", "settled", "failed"] as const;

// biome-ignore format: several columns in a line, as in the migrations
export const crypto = {
  crypto_quotes: {
    id: text, payment_id: text, owner_id: text,
    /** The order that the quote pays for. Null for a credit purchase. */
    playtest_id: orNull(text),
    /** The idempotency key of the request that created the order, or asked for the credit. */
    request_key: orNull(text),
    chain: oneOf(chains), currency: oneOf(currencies), receiver: text,
    /** The address of the token's contract or mint, or the currency code for a chain's native coin. */
    asset: text,
    amount_atomic: text, amount_cents: int,
    /** The locked rate, in cents per whole coin. */
    rate: int,
    paid: int,
    /** While 1, no other quote gets this amount. */
    reserved: int,
    expires_at: int,
    /** The sending address that the owner declared, in the form of the chain's `addressOf`. Null if none was declared. */
    payer: orNull(text),
    created_at: int,
  },
  crypto_proofs: { owner_id: text, chain: oneOf(chains), tx_hash: text, created_at: int },
  crypto_deposits: {
    chain: oneOf(chains), tx_hash: text, tx_index: int, currency: oneOf(currencies), receiver: text, amount_atomic: text,
    /** The owner and payment that it belongs to. Both null when unknown. */
    owner_id: orNull(text),
    payment_id: orNull(text), value_cents: int, status: oneOf(depositStatuses),
    note: orNull(oneOf(["short", "over", "late", "again", "unclear", "order_over", "frozen", "unmatched"])), seen_at: int,
    /** The sending address. Null when the transaction does not show it. */
    sender: orNull(text),
    /** The price when it was recorded, in cents per whole coin, for the part without a locked rate. */
    rate: orNull(int),
    /** How account `proved_by` proved that it controls the sending address. */
    proof: orNull(oneOf(["declared", "signature"])),
    proved_by: orNull(text), proved_at: orNull(int), signature: orNull(text), resolved_at: orNull(int), resolved_by: orNull(text),
    resolution: orNull(text),
  },
  crypto_scans: { chain: oneOf(chains), position: text, scanned_at: int },
  sandbox_chain: {
    chain: oneOf(chains), tx_hash: text, currency: oneOf(currencies), receiver: text, amount_atomic: text,
    status: oneOf(["success", "reverted"]), confirmations: int, sender: orNull(text),
    /** The nonce of the signed payment that it settles. */
    nonce: orNull(text),
    created_at: int,
  },
  /** A transfer that a payer signed (EIP-3009) for a quote. Each is settled at most once: the chain refuses a nonce that was used. */
  signed_payments: {
    id: text, quote_id: text, owner_id: text, chain: oneOf(chains), asset: text,
    /** In lower case, as the nonce. */
    payer: text,
    nonce: text, amount_atomic: text,
    /** When the chain refuses it, in ms. */
    valid_before: int,
    signature: text,
    /** `settling`: it may have been sent to the chain. `settled`: the transfer was recorded. `failed`: it was refused. */
    status: oneOf(signedPaymentStatuses),
    /** The transaction, as the facilitator named it, or that it was found in. */
    tx_hash: orNull(text),
    error: orNull(text), created_at: int, updated_at: int,
  },
};
