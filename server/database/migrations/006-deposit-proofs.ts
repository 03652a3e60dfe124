const table = "crypto_deposits";

/** Who sent a deposit, what it was recorded at, and what proves that its sender is an owner's address. */
export const depositProofs = {
  name: "006-deposit-proofs",
  statements: [
    // The address an owner said the payment will come from.
    "ALTER TABLE crypto_quotes ADD COLUMN payer TEXT",
    "CREATE INDEX crypto_quotes_by_payer ON crypto_quotes (payer, owner_id) WHERE payer IS NOT NULL",
    "CREATE INDEX crypto_quotes_unpaid ON crypto_quotes (chain, currency, receiver, expires_at) WHERE paid = 0",
    "ALTER TABLE crypto_deposits ADD COLUMN sender TEXT",
    // Cents per whole coin at which the part without a locked rate was recorded.
    "ALTER TABLE crypto_deposits ADD COLUMN rate {int}",
    "ALTER TABLE crypto_deposits ADD COLUMN proof TEXT",
    "ALTER TABLE crypto_deposits ADD COLUMN proved_by TEXT",
    "ALTER TABLE crypto_deposits ADD COLUMN proved_at {int}",
    "ALTER TABLE crypto_deposits ADD COLUMN signature TEXT",
    "CREATE INDEX crypto_deposits_by_sender ON crypto_deposits (sender, owner_id) WHERE sender IS NOT NULL",
    "ALTER TABLE sandbox_chain ADD COLUMN sender TEXT",
    "ALTER TABLE crypto_deposits DROP CONSTRAINT crypto_deposits_note_check",
    { table, column: "note", values: ["short", "over", "late", "again", "unclear", "order_over", "unmatched"] },
    { table, column: "proof", values: ["declared", "signature"] },
  ],
};
