import { enumerated } from "./002-enumerations.ts";
import { kinds as earlier, withKinds as earlierTables } from "./010-notifications.ts";

export const kinds = [...earlier, "payment.disputed", "payment.dispute_ended"];
const withKinds = [...earlierTables, ["notification_settings", "kind"]] as const;

/** A dispute freezes its owner's orders and what they paid for until it is won, or an administrator lifts the freeze. */
export const disputes = {
  name: "012-disputes",
  statements: [
    "ALTER TABLE payment_reversals ADD COLUMN lifted_at {int}",
    `CREATE INDEX payment_reversals_freezing ON payment_reversals (payment_id)
      WHERE kind = 'dispute' AND state = 'taken' AND lifted_at IS NULL`,
    "CREATE INDEX payment_reversals_by_time ON payment_reversals (created_at, id)",
    "ALTER TABLE crypto_deposits DROP CONSTRAINT crypto_deposits_note_check",
    ...enumerated("crypto_deposits", {
      note: ["short", "over", "late", "again", "unclear", "order_over", "frozen", "unmatched"],
    }),
    ...withKinds.map(([table, column]) => `ALTER TABLE ${table} DROP CONSTRAINT ${table}_${column}_check`),
    ...withKinds.flatMap(([table, column]) => enumerated(table, { [column]: kinds })),
  ],
};
