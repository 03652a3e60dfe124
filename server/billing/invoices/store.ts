import type { Query } from "../../database/port.ts";
import { insertRow } from "../../database/rows.ts";
import type { InvoiceDocument } from "./rules.ts";

export interface InvoiceRow {
  payment_id: string;
  issuer: string;
  year: number;
  sequence: number;
  number: string;
  /** The InvoiceDocument as JSON. */
  document: string;
  issued_at: number;
}

export async function findDocument(q: Query, paymentId: string): Promise<InvoiceDocument | undefined> {
  const row = await q.one<{ document: string }>("SELECT document FROM invoices WHERE payment_id = ?", paymentId);
  return row && (JSON.parse(row.document) as InvoiceDocument);
}

export const lastSequence = async (q: Query, issuer: string, year: number): Promise<number> =>
  (await q.one<{ last: number | null }>("SELECT MAX(sequence) AS last FROM invoices WHERE issuer = ? AND year = ?", issuer, year))
    ?.last ?? 0;

export const insert = (tx: Query, row: InvoiceRow) => insertRow(tx, "invoices", row);
