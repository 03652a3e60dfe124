import type { PayoutMethod } from "../../../src/contract/accounts/payout-methods.ts";
import { type PayoutStatus, payoutMoves } from "../../../src/contract/states/index.ts";
import { type Page, paged } from "../../database/keyset.ts";
import type { Query, Value } from "../../database/port.ts";
import { findRows, insertRow } from "../../database/rows.ts";
import type { New, Tables } from "../../database/schema/index.ts";
import { stateMachine } from "../../database/state-machine.ts";

export type PayoutRow = Tables["payouts"];

export type NamedPayoutRow = PayoutRow & { display_name: string };

export const sealingContext = (payoutId: string) => `payout ${payoutId}`;

const select = "SELECT p.*, u.display_name FROM payouts p JOIN users u ON u.id = p.user_id";

export const find = (q: Query, id: string) => q.one<NamedPayoutRow>(`${select} WHERE p.id = ?`, id);
export const insert = (tx: Query, payout: New<"payouts">) => insertRow(tx, "payouts", payout);
export const { requireMove, transition } = stateMachine({ noun: "payout", table: "payouts", moves: payoutMoves });

export function list(q: Query, only: { batch?: string | undefined; status?: PayoutStatus | undefined }, page: Page) {
  const wanted = Object.entries({ batch_id: only.batch, status: only.status }).filter(([, value]) => value !== undefined);
  const conditions = ["1 = 1", ...wanted.map(([column]) => `p.${column} = ?`)].join(" AND ");
  return paged(q, page, "p").all<NamedPayoutRow>(`${select} WHERE ${conditions}`, ...wanted.map(([, value]) => value as Value));
}

export type BatchRow = Tables["payout_batches"];

/** A batch with what became of its payouts: a number and a sum for each state. */
export type CountedBatchRow = BatchRow & { created_by_name: string } & Record<`${PayoutStatus}_${"count" | "cents"}`, number>;

const figures = (["pending", "completed", "failed"] as const).map(
  (status) => `(SELECT COUNT(*) FROM payouts p WHERE p.batch_id = b.id AND p.status = '${status}') AS ${status}_count,
    (SELECT CAST(COALESCE(SUM(p.amount_cents), 0) AS BIGINT) FROM payouts p WHERE p.batch_id = b.id AND p.status = '${status}') AS ${status}_cents`,
);
const selectBatch = `SELECT b.*, u.display_name AS created_by_name, ${figures.join(", ")} FROM payout_batches b JOIN users u ON u.id = b.created_by`;

export const insertBatch = (tx: Query, batch: New<"payout_batches">) => insertRow(tx, "payout_batches", batch);
export const findBatch = (q: Query, id: string) => q.one<CountedBatchRow>(`${selectBatch} WHERE b.id = ?`, id);

export const listBatches = (q: Query, page: Page) => paged(q, page, "b").all<CountedBatchRow>(`${selectBatch} WHERE 1 = 1`);

/** The payout of a batch with this reference or id. */
export const findInBatch = (q: Query, batchId: string, reference: string) =>
  q.one<PayoutRow>("SELECT * FROM payouts WHERE batch_id = ? AND (reference = ? OR id = ?)", batchId, reference, reference);

/** The pending payouts of a batch that are made in this way, oldest first. */
export const listPending = (q: Query, batchId: string, method: PayoutMethod) =>
  findRows(q, "payouts", { batch_id: batchId, status: "pending", method }, "created_at", "id");
