import { enumerated } from "./002-enumerations.ts";

/** Payments that standard x402 clients sign. A nonce is used once, and a quote has one at a time that may arrive. */
export const signedPayments = {
  name: "052-signed-payments",
  statements: [
    "ALTER TABLE sandbox_chain ADD COLUMN nonce TEXT",
    "CREATE UNIQUE INDEX one_sandbox_nonce ON sandbox_chain (chain, sender, nonce) WHERE nonce IS NOT NULL",
    `CREATE TABLE signed_payments (
      id TEXT PRIMARY KEY, quote_id TEXT NOT NULL REFERENCES crypto_quotes (id), owner_id TEXT NOT NULL REFERENCES users (id), chain TEXT NOT NULL,
      asset TEXT NOT NULL, payer TEXT NOT NULL, nonce TEXT NOT NULL, amount_atomic TEXT NOT NULL, valid_before {int} NOT NULL, signature TEXT NOT NULL,
      status TEXT NOT NULL, tx_hash TEXT, error TEXT, created_at {int} NOT NULL, updated_at {int} NOT NULL) {strict}`,
    "CREATE UNIQUE INDEX one_signed_nonce ON signed_payments (chain, asset, payer, nonce)",
    "CREATE UNIQUE INDEX one_settling_payment ON signed_payments (quote_id) WHERE status = 'settling'",
    "CREATE INDEX signed_payments_by_owner ON signed_payments (owner_id, created_at, id)",
    ...enumerated("signed_payments", { chain: ["base", "ethereum", "solana"], status: ["settling", "settled", "failed"] }),
  ],
};
