import type { DisputeStatus } from "../../src/contract/billing.ts";
import { reversalMoves } from "../../src/contract/states/index.ts";
import { type Page, paged } from "../database/keyset.ts";
import type { Query } from "../database/port.ts";
import { findRow, findRows, insertRow, updateRow } from "../database/rows.ts";
import type { New, Tables } from "../database/schema/index.ts";
import { stateMachine } from "../database/state-machine.ts";

export type ReversalRow = Tables["payment_reversals"];

/** A dispute with the payment that it takes back. */
export interface DisputeRow extends ReversalRow {
  owner_id: string;
  owner_name: string;
  payment_cents: number;
}

export const find = (q: Query, id: string) => findRow(q, "payment_reversals", { id });
export const ofPayment = (q: Query, paymentId: string) =>
  findRows(q, "payment_reversals", { payment_id: paymentId }, "created_at", "id");

/** SQL: whether this reversal is a dispute that freezes its owner's orders and what the payment paid for. */
export const freezes = (table: string) =>
  `(${table}.kind = 'dispute' AND ${table}.state = 'taken' AND ${table}.lifted_at IS NULL AND ${table}.cents > 0)`;

const disputes = "payment_reversals r JOIN payments p ON p.id = r.payment_id";

/** The oldest dispute that freezes an owner's orders. There are few of them: the search starts with those of everybody. */
export const freezingOf = (q: Query, ownerId: string) =>
  q.one<ReversalRow>(
    `SELECT * FROM payment_reversals r WHERE ${freezes("r")} AND (SELECT p.owner_id FROM payments p WHERE p.id = r.payment_id) = ?
      ORDER BY r.created_at, r.id LIMIT 1`,
    ownerId,
  );

/** Whether any dispute freezes anything: mostly none does. */
export const isAnyFreezing = async (q: Query): Promise<boolean> =>
  (await q.one(`SELECT 1 AS found FROM payment_reversals r WHERE ${freezes("r")} LIMIT 1`)) !== undefined;

const conditions: Record<DisputeStatus, string> = {
  open: freezes("r"),
  lifted: "r.kind = 'dispute' AND r.state = 'taken' AND (r.lifted_at IS NOT NULL OR r.cents = 0)",
  won: "r.kind = 'dispute' AND r.state = 'returned'",
};

export const listDisputes = (q: Query, status: DisputeStatus, page: Page) =>
  paged(q, page, "r").all<DisputeRow>(`SELECT r.*, p.owner_id, p.amount_cents AS payment_cents, u.display_name AS owner_name
      FROM ${disputes} JOIN users u ON u.id = p.owner_id WHERE ${conditions[status]}`);

/** Ends the freeze of a payment's disputes. Returns those that it ended. */
export const lift = (tx: Query, paymentId: string, now: number) =>
  tx.all<ReversalRow>(
    `UPDATE payment_reversals SET lifted_at = ?, updated_at = ? WHERE payment_id = ? AND ${freezes("payment_reversals")} RETURNING *`,
    now,
    now,
    paymentId,
  );

export const insert = (tx: Query, row: New<"payment_reversals">) => insertRow(tx, "payment_reversals", row);

/** Gives a dispute that was recorded by hand the processor's id, once the processor reports it. */
export const rename = (tx: Query, from: string, to: string) => updateRow(tx, "payment_reversals", from, { id: to });

export const setCents = (tx: Query, id: string, cents: number, now: number) =>
  updateRow(tx, "payment_reversals", id, { cents, updated_at: now });

export const setAnswerBy = (tx: Query, id: string, answerBy: number | null, now: number) =>
  updateRow(tx, "payment_reversals", id, { answer_by: answerBy, updated_at: now });

export const setFee = (tx: Query, id: string, cents: number, now: number) =>
  updateRow(tx, "payment_reversals", id, { fee_cents: cents, updated_at: now });

export const { transitionFromAny } = stateMachine({
  noun: "reversal",
  table: "payment_reversals",
  column: "state",
  moves: reversalMoves,
});
