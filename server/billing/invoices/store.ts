import { invoiceKinds } from "../../../src/contract/billing.ts";
import type { Page } from "../../database/keyset.ts";
import type { Query } from "../../database/port.ts";
import { findRow, findRows, insertRow, listRows, putRow } from "../../database/rows.ts";
import type { New, Tables } from "../../database/schema/index.ts";
import type { PaymentRow } from "../store.ts";

export type DocumentRow = Tables["billing_documents"];

export const insert = (tx: Query, row: New<"billing_documents">) => insertRow(tx, "billing_documents", row);

export const invoiceOf = (q: Query, paymentId: string) => findRow(q, "billing_documents", { event_key: `invoice:${paymentId}` });

/** The invoices and void invoices of these payments. */
export const invoicesOf = (q: Query, paymentIds: readonly string[]) =>
  paymentIds.length === 0
    ? Promise.resolve([])
    : findRows(q, "billing_documents", { event_key: paymentIds.map((id) => `invoice:${id}`) }, "created_at", "id");

/** The credit notes and cancellations of a payment, oldest first. */
export const reversalsOf = (q: Query, paymentId: string) =>
  findRows(q, "billing_documents", { payment_id: paymentId, kind: ["credit_note", "cancellation"] }, "created_at", "id");

/** How many slots a payment for an order is for, and the price of one. */
export async function unitsOf(q: Query, { purpose, playtest_id: id }: Pick<PaymentRow, "purpose" | "playtest_id">) {
  if (purpose !== "order" || id === null) return undefined;
  const order = await findRow(q, "playtests", { id });
  return order && { count: order.quantity, cents: order.cost_per_slot_cents };
}

export const find = (q: Query, id: string) => findRow(q, "billing_documents", { id });

export const findForOwner = (q: Query, id: string, ownerId: string) =>
  findRow(q, "billing_documents", { id, owner_id: ownerId, kind: invoiceKinds });

export const listForOwner = (q: Query, ownerId: string, page: Page) =>
  listRows(q, "billing_documents", page, { owner_id: ownerId, kind: invoiceKinds });

/**
 * The next number of a series in a year. Who takes it holds the row until its transaction ends, so that the numbers follow the order of
 * commits and one of a transaction that fails is given to the next.
 */
export const nextSequence = async (tx: Query, issuer: string, year: number): Promise<number> =>
  (await tx.one<{ last: number }>(
    `INSERT INTO invoice_numbers (issuer, year, last) VALUES (?, ?, 1)
      ON CONFLICT (issuer, year) DO UPDATE SET last = invoice_numbers.last + 1 RETURNING last`,
    issuer,
    year,
  ))!.last;

const received = "p.provider NOT IN ('credit', 'playtest_hours') AND p.status IN ('completed', 'disputed', 'refunded')";

/** The oldest payments that arrived and have no invoice, because an earlier version completed them. */
export const paymentsWithoutInvoice = (q: Query, limit: number) =>
  q.all<{ id: string }>(
    `SELECT p.id FROM payments p WHERE ${received}
      AND NOT EXISTS (SELECT 1 FROM billing_documents d WHERE d.event_key = 'invoice:' || p.id)
      ORDER BY COALESCE(p.completed_at, p.created_at), p.id LIMIT CAST(? AS INTEGER)`,
    limit,
  );

/** What was returned of payments without a document that says so. */
export const reversalsWithoutDocument = (q: Query) =>
  q.all<{ payment_id: string; event_key: string; cents: number; created_at: number }>(
    `SELECT t.payment_id, t.event_key, -SUM(x.amount) AS cents, t.created_at FROM ledger_transfers t JOIN ledger_postings x ON x.transfer_id = t.id
      WHERE t.source IN ('dispute:', 'card_refund:', 'dispute_won:', 'refund_failed:') AND x.account_id LIKE 'assets:processor:%'
        AND NOT EXISTS (SELECT 1 FROM billing_documents d WHERE d.event_key = t.event_key)
      GROUP BY t.id, t.payment_id, t.event_key, t.created_at HAVING SUM(x.amount) <> 0 ORDER BY t.created_at, t.id`,
  );

export type DetailsRow = Tables["billing_details"];

export const findDetails = (q: Query, userId: string) => findRow(q, "billing_details", { user_id: userId });

export const saveDetails = (tx: Query, row: DetailsRow) => putRow(tx, "billing_details", row, "user_id");
