import { type ReversalStatus, reversalMoves } from "../../src/contract/states/index.ts";
import type { Query } from "../database/port.ts";
import { insertRow } from "../database/rows.ts";
import { stateMachine } from "../database/state-machine.ts";

/** A dispute or refund: money of a payment that was returned to the card. */
export interface ReversalRow {
  /** The processor's id of it, or the payment's id for a dispute recorded by hand. */
  id: string;
  payment_id: string;
  kind: "dispute" | "refund";
  cents: number;
  /** `returned`: a dispute that was won or a refund that failed. This state is final. */
  state: ReversalStatus;
  /** The processor's total fee for a dispute, in cents. */
  fee_cents: number;
  created_at: number;
  updated_at: number;
}

export const find = (q: Query, id: string) => q.one<ReversalRow>("SELECT * FROM payment_reversals WHERE id = ?", id);
export const ofPayment = (q: Query, paymentId: string) =>
  q.all<ReversalRow>("SELECT * FROM payment_reversals WHERE payment_id = ? ORDER BY created_at, id", paymentId);

export const insert = (tx: Query, row: ReversalRow) => insertRow(tx, "payment_reversals", row);

/** Gives a dispute that was recorded by hand the processor's id, once the processor reports it. */
export const rename = (tx: Query, from: string, to: string) =>
  tx.run("UPDATE payment_reversals SET id = ? WHERE id = ?", to, from);

export const setCents = (tx: Query, id: string, cents: number, now: number) =>
  tx.run("UPDATE payment_reversals SET cents = ?, updated_at = ? WHERE id = ?", cents, now, id);

export const setFee = (tx: Query, id: string, cents: number, now: number) =>
  tx.run("UPDATE payment_reversals SET fee_cents = ?, updated_at = ? WHERE id = ?", cents, now, id);

export const { transitionFromAny } = stateMachine<ReversalRow, typeof reversalMoves, "state">({
  noun: "reversal",
  table: "payment_reversals",
  column: "state",
  moves: reversalMoves,
});
