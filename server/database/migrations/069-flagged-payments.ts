/**
 * When a payment was flagged, and when an operator looked at it: until then, flags were shown to nobody. Deposits in suspense have a list of
 * their own, and are no longer flagged too. A process of the version before writes flags without a time.
 */
export const flaggedPayments = {
  name: "069-flagged-payments",
  statements: [
    "ALTER TABLE payments ADD COLUMN flagged_at {int}",
    "ALTER TABLE payments ADD COLUMN flag_cleared_at {int}",
    `UPDATE payments SET flag_cleared_at = updated_at
      WHERE flagged LIKE 'crypto in suspense%' AND REPLACE(flagged, '; crypto in suspense', '') NOT LIKE '%; %'`,
    "CREATE INDEX flagged_payments ON payments (id) WHERE flagged IS NOT NULL AND flag_cleared_at IS NULL",
  ],
};
