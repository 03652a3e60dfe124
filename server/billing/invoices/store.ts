import { keyset, type Page } from "../../database/keyset.ts";
import type { Query } from "../../database/port.ts";
import { insertRow } from "../../database/rows.ts";
import type { DocumentKind } from "./rules.ts";

export interface DocumentRow {
  /** For an invoice, that of its payment. */
  id: string;
  /** What it is for, once: that of a credit note is the key of the transfer that took the money. */
  event_key: string;
  owner_id: string;
  payment_id: string;
  /** `void`: an invoice of an earlier version for an order that was paid with credit or hours. Only its number is used. */
  kind: DocumentKind | "void";
  issuer: string;
  year: number;
  sequence: number;
  number: string;
  /** What it adds to the money received: below zero for a credit note, 0 when void. */
  total_cents: number;
  /** The InvoiceDocument as JSON. */
  document: string;
  created_at: number;
}

export const insert = (tx: Query, row: DocumentRow) => insertRow(tx, "billing_documents", row);

export const invoiceOf = (q: Query, paymentId: string) =>
  q.one<DocumentRow>("SELECT * FROM billing_documents WHERE event_key = ?", `invoice:${paymentId}`);

/** The invoices and void invoices of these payments. */
export const invoicesOf = (q: Query, paymentIds: readonly string[]) =>
  paymentIds.length === 0
    ? Promise.resolve([])
    : q.all<DocumentRow>(
        `SELECT * FROM billing_documents WHERE event_key IN (${paymentIds.map(() => "?").join(", ")})`,
        ...paymentIds.map((id) => `invoice:${id}`),
      );

/** The credit notes and cancellations of a payment, oldest first. */
export const reversalsOf = (q: Query, paymentId: string) =>
  q.all<DocumentRow>(
    "SELECT * FROM billing_documents WHERE payment_id = ? AND kind IN ('credit_note', 'cancellation') ORDER BY created_at, id",
    paymentId,
  );

export const findForOwner = (q: Query, id: string, ownerId: string) =>
  q.one<DocumentRow>("SELECT * FROM billing_documents WHERE id = ? AND owner_id = ? AND kind <> 'void'", id, ownerId);

export function listForOwner(q: Query, ownerId: string, page: Page) {
  const { sql, values } = keyset(page, "d");
  return q.all<DocumentRow>(
    `SELECT d.* FROM billing_documents d WHERE d.owner_id = ? AND d.kind <> 'void' ${sql}`,
    ownerId,
    ...values,
  );
}

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

export interface DetailsRow {
  user_id: string;
  name: string | null;
  address: string | null;
  country: string | null;
  tax_number: string | null;
  updated_at: number;
}

export const findDetails = (q: Query, userId: string) =>
  q.one<DetailsRow>("SELECT * FROM billing_details WHERE user_id = ?", userId);

export const saveDetails = (tx: Query, row: DetailsRow) =>
  tx.run(
    `INSERT INTO billing_details (user_id, name, address, country, tax_number, updated_at) VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT (user_id) DO UPDATE SET name = excluded.name, address = excluded.address, country = excluded.country,
        tax_number = excluded.tax_number, updated_at = excluded.updated_at`,
    row.user_id,
    row.name,
    row.address,
    row.country,
    row.tax_number,
    row.updated_at,
  );
