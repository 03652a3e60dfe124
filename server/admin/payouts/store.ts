import { type PayoutStatus, payoutMoves } from "../../../src/contract/states/index.ts";
import { keyset, type Page } from "../../database/keyset.ts";
import type { Query } from "../../database/port.ts";
import { insertRow } from "../../database/rows.ts";
import { stateMachine } from "../../database/state-machine.ts";

export interface PayoutRow {
  id: string;
  user_id: string;
  amount_cents: number;
  status: PayoutStatus;
  created_at: number;
  failed_at: number | null;
}

export const find = (q: Query, id: string) => q.one<PayoutRow>("SELECT * FROM payouts WHERE id = ?", id);
export const insert = (tx: Query, payout: PayoutRow) => insertRow(tx, "payouts", payout);
export const { requireMove, transition } = stateMachine<PayoutRow, typeof payoutMoves>({
  noun: "payout",
  table: "payouts",
  moves: payoutMoves,
});

export function list(q: Query, page: Page) {
  const { sql, values } = keyset(page, "p");
  return q.all<PayoutRow>(`SELECT p.* FROM payouts p WHERE 1 = 1 ${sql}`, ...values);
}
