import { enumerated } from "./002-enumerations.ts";
import { withKinds } from "./039-publications.ts";
import { kinds as earlier } from "./041-budgets.ts";

export const kinds = [...earlier, "order.approval_requested", "order.approval_decided"];

/**
 * Orders that wait for the approval of a person. `sealed` is the order, with its game keys; `body_hash` finds the same order of the same key
 * again.
 */
export const orderApprovals = {
  name: "042-order-approvals",
  statements: [
    `CREATE TABLE order_approvals (
      id TEXT PRIMARY KEY, owner_id TEXT NOT NULL REFERENCES users (id), key_id TEXT NOT NULL, game_id TEXT NOT NULL REFERENCES games (id),
      method TEXT NOT NULL, sealed TEXT NOT NULL, body_hash TEXT NOT NULL, request_key TEXT, total_cents {int} NOT NULL, status TEXT NOT NULL,
      reason TEXT, playtest_id TEXT, created_at {int} NOT NULL, expires_at {int} NOT NULL, decided_at {int}, decided_by TEXT) {strict}`,
    "CREATE INDEX order_approvals_by_owner ON order_approvals (owner_id, created_at, id)",
    "CREATE INDEX order_approvals_by_playtest ON order_approvals (playtest_id) WHERE playtest_id IS NOT NULL",
    ...enumerated("order_approvals", {
      status: ["pending", "approved", "declined", "expired"],
      method: ["any", "hours", "credit", "card", "x402"],
    }),
    ...withKinds.map(([table, column]) => `ALTER TABLE ${table} DROP CONSTRAINT ${table}_${column}_check`),
    ...withKinds.flatMap(([table, column]) => enumerated(table, { [column]: kinds })),
  ],
};
