import type { Query } from "../../database/port.ts";
import { accounts } from "../../ledger/rules.ts";
import type { PaymentRow } from "../store.ts";
import { fundedBy, type Source } from "./confirmation-rules.ts";

interface OrderPosting {
  id: string;
  amount: number;
  balance_after: number;
  created_at: number;
}

/**
 * What orders and their refunds move, which does not add to what an owner ever had. Only an order that a card or crypto paid by itself used
 * up what that payment brought, and what is refunded of it is added then.
 */
const spending = "('order:', 'playtest:', 'slot_refund:', 'manual_slot_expired:')";

/** What an order was paid from, in the order in which it was added. */
export async function sourcesOf(q: Query, payment: PaymentRow): Promise<Source[]> {
  const account = (payment.provider === "credit" ? accounts.credit : accounts.minutes)(payment.owner_id);
  const order = await q.one<OrderPosting>(
    `SELECT t.id, x.amount, x.balance_after, t.created_at FROM ledger_transfers t JOIN ledger_postings x ON x.transfer_id = t.id
      WHERE t.payment_id = ? AND t.source IN ('order:', 'playtest:') AND x.account_id = ?`,
    payment.id,
    account,
  );
  if (!order) return [];
  const rows = await q.all<{ amount: number; note: string | null; number: string | null; issued_at: number | null }>(
    `SELECT a.amount, a.note, d.number, d.created_at AS issued_at FROM (
        SELECT COALESCE(t.payment_id, own.id) AS payment_id, MIN(t.id) AS id, MIN(t.created_at) AS created_at, -SUM(x.amount) AS amount, MAX(t.note) AS note
          FROM ledger_postings x JOIN ledger_transfers t ON t.id = x.transfer_id
          LEFT JOIN playtests o ON o.id = t.playtest_id
          LEFT JOIN payments own ON own.id = o.payment_id AND own.provider NOT IN ('credit', 'playtest_hours')
          WHERE x.account_id = ? AND x.created_at <= ? AND (x.created_at < ? OR t.id < ?) AND (t.source NOT IN ${spending} OR own.id IS NOT NULL)
          GROUP BY COALESCE(t.payment_id, own.id), CASE WHEN t.payment_id IS NULL THEN COALESCE(own.id, t.id) END) AS a
      LEFT JOIN billing_documents d ON d.event_key = 'invoice:' || a.payment_id ORDER BY a.created_at, a.id`,
    account,
    order.created_at,
    order.created_at,
    order.id,
  );
  const lots = rows.map(({ amount, note, number, issued_at }) => ({
    amount,
    note,
    invoice: number === null ? undefined : { number, issuedAt: issued_at! },
  }));
  return fundedBy(lots, order.amount - order.balance_after, order.amount);
}
