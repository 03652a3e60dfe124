import { type PaymentStatus, paymentMoves } from "../../src/contract/states/index.ts";
import { type Page, paged } from "../database/keyset.ts";
import type { Query } from "../database/port.ts";
import { addRow, findRow, listRows, sendRow, updateRow } from "../database/rows.ts";
import type { New, Tables } from "../database/schema/index.ts";
import { stateMachine } from "../database/state-machine.ts";

export type PaymentRow = Tables["payments"];

export const find = (q: Query, id: string) => findRow(q, "payments", { id });
export const findForOwner = (q: Query, id: string, ownerId: string) => findRow(q, "payments", { id, owner_id: ownerId });
export const findByCheckout = (q: Query, hash: string) => findRow(q, "payments", { checkout_hash: hash });

export const listForOwner = (q: Query, ownerId: string, page: Page) => listRows(q, "payments", page, { owner_id: ownerId });

/** SQL: whether this payment arrived by card, even if it went back since. */
export const byCard = (table: string) =>
  `(${table}.provider NOT IN ('x402', 'credit', 'playtest_hours') AND ${table}.status IN ('completed', 'disputed', 'refunded'))`;

/** A subscription's newest payment in one of these states. */
export const latestOf = (q: Query, subscriptionId: string, ...statuses: PaymentStatus[]) =>
  q.one<PaymentRow>(
    `SELECT * FROM payments WHERE subscription_id = ? AND status IN (${statuses.map(() => "?").join(", ")})
      ORDER BY created_at DESC, id DESC LIMIT 1`,
    subscriptionId,
    ...statuses,
  );

/** Stores the processor's id of the payment. */
export const setReference = (tx: Query, id: string, reference: string) =>
  updateRow(tx, "payments", id, { external_id: reference });

/** Stores the amount that arrived and its transaction. */
export const setReceived = (tx: Query, id: string, reference: string, cents: number) =>
  updateRow(tx, "payments", id, { external_id: reference, amount_cents: cents });

export const insert = (tx: Query, payment: New<"payments">) => sendRow(tx, "payments", payment);

/** Webhooks can arrive late, so a transition is allowed from every state that has it, not only from the state that was read. */
export const { transitionFromAny } = stateMachine({ noun: "payment", table: "payments", moves: paymentMoves });

/** Completes the payment. True for only one caller, which then posts it. */
export const complete = (tx: Query, payment: Pick<PaymentRow, "id">, now: number) =>
  transitionFromAny(tx, payment, "pay", { updated_at: now, completed_at: now });

/** Stores the processor's fee of a completed payment. False if it is stored already, or the payment is not completed. */
export const setFee = async (tx: Query, id: string, cents: number) =>
  (await tx.run(
    "UPDATE payments SET fee_cents = ? WHERE id = ? AND fee_cents = 0 AND status IN ('completed', 'disputed', 'refunded')",
    cents,
    id,
  )) === 1;

/** Flags the payment for the operators, with a reason, until one of them clears it. The same reason is added only once. */
export const flag = (tx: Query, id: string, reason: string, now: number) =>
  tx.run(
    `UPDATE payments SET flagged_at = ?, flag_cleared_at = NULL, flagged = CASE WHEN flagged IS NULL THEN ? ELSE flagged || '; ' || ? END
      WHERE id = ? AND (flagged IS NULL OR REPLACE(flagged, ?, '') = flagged)`,
    now,
    reason,
    reason,
    id,
    reason,
  );

/** SQL: whether a payment's flag waits for an operator to look at it. */
export const isFlagged = "flagged IS NOT NULL AND flag_cleared_at IS NULL";

/** Records that an operator looked at a flagged payment. False if its flag does not wait for that. What the flag says stays. */
export const clearFlag = async (tx: Query, id: string, now: number) =>
  (await tx.run(`UPDATE payments SET flag_cleared_at = ? WHERE id = ? AND ${isFlagged}`, now, id)) === 1;

/** A payment whose flag waits for an operator, with the name of the owner who paid. */
export interface FlaggedRow extends Pick<PaymentRow, "id" | "owner_id" | "amount_cents" | "status" | "provider" | "external_id"> {
  flagged: string;
  /** When it was flagged (ms). */
  created_at: number;
  owner_name: string;
}

/** The payments that wait for an operator to look at them, newest flag first. */
export const listFlagged = (q: Query, page: Page) =>
  paged(q, page, "f").all<FlaggedRow>(
    `SELECT f.* FROM (SELECT p.id, p.owner_id, p.amount_cents, p.status, p.provider, p.external_id, p.flagged,
      COALESCE(p.flagged_at, p.updated_at) AS created_at, u.display_name AS owner_name
      FROM payments p JOIN users u ON u.id = p.owner_id WHERE ${isFlagged}) f WHERE 1 = 1`,
  );

/** Stores the id of a processor's webhook event. False if it is stored already. */
export const recordEvent = (tx: Query, event: New<"processor_events">) => addRow(tx, "processor_events", event);
