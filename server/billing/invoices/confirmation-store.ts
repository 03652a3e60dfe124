import type { Query } from "../../database/port.ts";
import type { Tables } from "../../database/schema/index.ts";
import { accounts } from "../../ledger/rules.ts";
import type { PaymentRow } from "../store.ts";
import { fundedBy, type Movement, type Source } from "./confirmation-rules.ts";

type OrderPosting = Pick<Tables["ledger_postings"], "id" | "amount" | "created_at">;

interface MovementRow extends Pick<Tables["ledger_transfers"], "id" | "note" | "payment_id" | "playtest_id"> {
  amount: number;
  /** The payment by card or crypto that paid the order by itself. */
  own_id: string | null;
  is_order: number;
  number: string | null;
  issued_at: number | null;
}

/** What orders and their refunds move. */
const spending = "('order:', 'playtest:', 'slot_refund:', 'manual_slot_expired:')";

/** What an order was paid from, in the order in which it was added. */
export async function sourcesOf(q: Query, payment: PaymentRow): Promise<Source[]> {
  const account = (payment.provider === "credit" ? accounts.credit : accounts.minutes)(payment.owner_id);
  const order = await q.one<OrderPosting>(
    `SELECT t.id, x.amount, t.created_at FROM ledger_transfers t JOIN ledger_postings x ON x.transfer_id = t.id
      WHERE t.payment_id = ? AND t.source IN ('order:', 'playtest:') AND x.account_id = ?`,
    payment.id,
    account,
  );
  if (!order) return [];
  const rows = await q.all<MovementRow>(
    `SELECT t.id, -x.amount AS amount, t.note, t.payment_id, t.playtest_id, own.id AS own_id, d.number, d.created_at AS issued_at,
        CASE WHEN t.source IN ${spending} THEN 1 ELSE 0 END AS is_order
      FROM ledger_postings x JOIN ledger_transfers t ON t.id = x.transfer_id
      LEFT JOIN playtests o ON o.id = t.playtest_id
      LEFT JOIN payments own ON own.id = o.payment_id AND own.provider NOT IN ('credit', 'playtest_hours')
      LEFT JOIN billing_documents d ON d.event_key = 'invoice:' || t.payment_id
      WHERE x.account_id = ? AND x.created_at <= ? AND (x.created_at < ? OR t.id < ?) ORDER BY x.created_at, t.id`,
    account,
    order.created_at,
    order.created_at,
    order.id,
  );
  return fundedBy(rows.map(movementOf), order.amount);
}

/** An order that a card or crypto paid by itself uses up what that payment brought. */
const movementOf = (row: MovementRow): Movement => ({
  amount: row.amount,
  lot: row.is_order === 1 ? (row.own_id ?? undefined) : (row.payment_id ?? row.id),
  order: row.is_order === 1 ? row.playtest_id : null,
  note: row.note,
  invoice: row.number === null ? undefined : { number: row.number, issuedAt: row.issued_at! },
});
