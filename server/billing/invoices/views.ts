import type { Query } from "../../database/port.ts";
import { iso } from "../../lib/time.ts";
import { isOfMoney } from "../rules.ts";
import type { PaymentRow } from "../store.ts";
import { type DocumentKind, documentOf } from "./rules.ts";
import * as documents from "./store.ts";

/** Payments as the API shows them, with their documents. */
export async function paymentViews(q: Query, rows: readonly PaymentRow[]) {
  const invoices = new Map(
    (
      await documents.invoicesOf(
        q,
        rows.map(({ id }) => id),
      )
    ).map((row) => [row.payment_id, row]),
  );
  return rows.map((payment) => ({
    id: payment.id,
    amountCents: payment.amount_cents,
    status: payment.status,
    provider: payment.provider,
    externalId: payment.external_id,
    createdAt: iso(payment.created_at),
    document: documentView(payment, invoices.get(payment.id)),
  }));
}

export const paymentView = async (q: Query, payment: PaymentRow) => (await paymentViews(q, [payment]))[0]!;

function documentView(payment: PaymentRow, invoice: documents.DocumentRow | undefined) {
  if (payment.completed_at === null) return null;
  if (!isOfMoney(payment)) return { kind: "order_confirmation" as const, number: null, issuedAt: iso(payment.completed_at) };
  return invoice ? { kind: "invoice" as const, number: invoice.number, issuedAt: iso(invoice.created_at) } : null;
}

export function invoiceView(row: documents.DocumentRow) {
  const { tax, currency, about = [] } = documentOf(row);
  return {
    id: row.id,
    kind: row.kind as DocumentKind,
    number: row.number,
    issuedAt: iso(row.created_at),
    paymentId: row.payment_id,
    totalCents: row.total_cents,
    taxCents: tax ? Math.sign(row.total_cents) * tax.taxCents : null,
    currency,
    about: about.map(({ number }) => number),
  };
}

export const detailsView = (row: documents.DetailsRow | undefined) => ({
  name: row?.name ?? null,
  address: row?.address ?? null,
  country: row?.country ?? null,
  taxNumber: row?.tax_number ?? null,
});
