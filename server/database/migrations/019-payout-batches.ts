import { enumerated } from "./002-enumerations.ts";

/** Payouts that are made together, and what becomes of each. A payout keeps the details that it is made to until it is settled. */
export const payoutBatches = {
  name: "019-payout-batches",
  statements: [
    `CREATE TABLE payout_batches (
      id TEXT PRIMARY KEY, created_by TEXT NOT NULL REFERENCES users (id), method TEXT, min_cents {int} NOT NULL, created_at {int} NOT NULL) {strict}`,
    ...enumerated("payout_batches", { method: ["bank", "paypal", "other"] }),
    "CREATE INDEX payout_batches_by_time ON payout_batches (created_at, id)",
    "ALTER TABLE payouts ADD COLUMN batch_id TEXT REFERENCES payout_batches (id)",
    "ALTER TABLE payouts ADD COLUMN reference TEXT",
    "ALTER TABLE payouts ADD COLUMN method TEXT",
    "ALTER TABLE payouts ADD COLUMN masked TEXT",
    "ALTER TABLE payouts ADD COLUMN details TEXT",
    "ALTER TABLE payouts ADD COLUMN completed_at {int}",
    "ALTER TABLE payouts ADD COLUMN failure TEXT",
    // Until now a payout was recorded when it had been made.
    "UPDATE payouts SET completed_at = created_at",
    "ALTER TABLE payouts DROP CONSTRAINT payouts_status_check",
    ...enumerated("payouts", { status: ["pending", "completed", "failed"], method: ["bank", "paypal", "other"] }),
    "CREATE UNIQUE INDEX payouts_reference ON payouts (reference)",
    "CREATE INDEX payouts_by_batch ON payouts (batch_id, created_at, id)",
    "CREATE INDEX payouts_by_status ON payouts (status, created_at, id)",
  ],
};
