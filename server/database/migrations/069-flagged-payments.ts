/**
 * Since when a payment waits for an operator to look at it: until then, flags were written and shown to nobody. Deposits in suspense have a
 * list of their own, and are no longer flagged too.
 */
export const flaggedPayments = {
  name: "069-flagged-payments",
  statements: [
    "ALTER TABLE payments ADD COLUMN flagged_at {int}",
    "UPDATE payments SET flagged_at = updated_at WHERE flagged IS NOT NULL AND flagged NOT LIKE 'crypto in suspense%'",
    "CREATE INDEX flagged_payments ON payments (flagged_at, id) WHERE flagged_at IS NOT NULL",
  ],
};
