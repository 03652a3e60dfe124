import { secretContext as factorContext } from "../../accounts/factors/store.ts";
import { sealingContext as payoutContext } from "../../accounts/payout-details/store.ts";
import { sealingContext as payoutOfBatchContext } from "../../admin/payouts/store.ts";
import { secretContext } from "../../events/webhooks/deliveries.ts";
import { sealingContext as orderContext } from "../../playtests/order-approvals/store.ts";
import { connectionContext } from "../../playtests/publications/connections-store.ts";
import { sessionContext } from "../../playtests/publications/store.ts";
import { tokenContext } from "../../sharing/shares/store.ts";
import { tokenContext as trackerContext } from "../../trackers/store.ts";
import type { SealedColumn } from "./store.ts";

/** All sealed columns, which a key rotation seals again. A test checks that the list is complete. */
export const sealedColumns: readonly SealedColumn[] = [
  {
    table: "playtest_keys",
    key: ["playtest_id", "position"],
    column: "ciphertext",
    context: (row) => `key ${row.playtest_id} ${row.position}`,
  },
  { table: "webhooks", key: ["id"], column: "secret", context: (row) => secretContext(String(row.id)) },
  { table: "shares", key: ["id"], column: "token", context: (row) => tokenContext(String(row.id)) },
  { table: "publications", key: ["id"], column: "session", context: (row) => sessionContext(String(row.id)) },
  {
    table: "publisher_connections",
    key: ["adapter"],
    column: "sealed",
    context: (row) => connectionContext(String(row.adapter)),
  },
  {
    table: "tracker_connections",
    key: ["owner_id", "tracker"],
    column: "sealed",
    context: (row) => trackerContext(String(row.owner_id), String(row.tracker)),
  },
  { table: "second_factors", key: ["user_id"], column: "secret", context: (row) => factorContext(String(row.user_id)) },
  { table: "order_approvals", key: ["id"], column: "sealed", context: (row) => orderContext(String(row.id)) },
  { table: "payout_details", key: ["user_id"], column: "sealed", context: (row) => payoutContext(String(row.user_id)) },
  { table: "payouts", key: ["id"], column: "details", context: (row) => payoutOfBatchContext(String(row.id)) },
  { table: "mails", key: ["id"], column: "sealed", context: (row) => `mail ${row.id}` },
  {
    table: "idempotency",
    key: ["account_id", "idempotency_key"],
    column: "body",
    bytes: true,
    context: (row) => `idempotency ${row.account_id} ${row.idempotency_key}`,
  },
];
