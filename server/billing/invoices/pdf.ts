import { usd } from "../../lib/money.ts";
import {
  date,
  days,
  facts,
  paragraph,
  parties,
  printPages,
  type Row,
  type Sheet,
  type Stationery,
  sums,
  table,
  title,
} from "./pdf-page.ts";
import { type DocumentKind, type InvoiceDocument, type Reference, unitPrice } from "./rules.ts";
import { percent } from "./tax-rules.ts";

const names: Record<DocumentKind, { title: string; number: string; about: string }> = {
  invoice: { title: "Invoice", number: "Invoice number", about: "" },
  credit_note: { title: "Credit note", number: "Credit note number", about: "Credits invoice" },
  cancellation: { title: "Cancellation of a credit note", number: "Number", about: "Cancels credit note" },
};

/** Renders an invoice, a credit note or its cancellation on A4 pages. The same document always gives the same bytes. */
export function printInvoice(invoice: InvoiceDocument, stationery: Stationery): Promise<Buffer> {
  const head = {
    title: `${names[invoice.kind ?? "invoice"].title} ${invoice.number}`,
    author: invoice.seller.name,
    createdAt: invoice.issuedAt,
  };
  return printPages(head, stationery, (sheet) => draw(sheet, invoice));
}

function draw(sheet: Sheet, invoice: InvoiceDocument): void {
  const { kind = "invoice", lines, tax, period, currency } = invoice;
  const isInvoice = kind === "invoice";
  title(sheet, names[kind].title);
  facts(sheet, [
    [names[kind].number, invoice.number],
    ["Issued", date(invoice.issuedAt)],
    ...(isInvoice ? ([["Paid", date(invoice.paidAt)]] as const) : []),
    ...(period ? ([["Period", days(period.from, period.to)]] as const) : []),
    ...(invoice.about ?? []).map((reference) => [names[kind].about, referenceText(reference)] as const),
  ]);
  parties(sheet, ["From", invoice.seller], [isInvoice ? "Billed to" : "Issued to", invoice.buyer]);
  table(
    sheet,
    { title: "Description", unit: `Amount (${currency})` },
    lines.map(({ description, units, cents }) => ({ label: description, detail: units && unitPrice(units), amount: usd(cents) })),
  );
  sums(sheet, [...taxRows(tax), ...totals(invoice)]);
  if (tax?.note) paragraph(sheet, tax.note);
  sheet.advance(30, 60);
  facts(sheet, [
    ["Payment", invoice.paymentId],
    ["Paid by", invoice.paidBy],
    ["Reference", invoice.reference],
  ]);
}

export const referenceText = ({ number, issuedAt }: Reference) => `${number} of ${date(issuedAt)}`;

const taxRows = (tax: InvoiceDocument["tax"]): Row[] =>
  tax
    ? [
        { label: `Net, without ${tax.name}`, amount: usd(tax.netCents) },
        { label: `${tax.name} ${percent(tax.rate)}`, amount: usd(tax.taxCents) },
      ]
    : [];

function totals({ kind, totalCents: cents, paidAt }: InvoiceDocument): Row[] {
  if (kind === "credit_note") return [{ label: "Credited", amount: usd(cents), bold: true }];
  if (kind === "cancellation") return [{ label: "No longer credited", amount: usd(cents), bold: true }];
  return [
    { label: "Total", amount: usd(cents), bold: true },
    { label: `Paid on ${date(paidAt)}`, amount: usd(-cents) },
    { label: "Due", amount: usd(0), bold: true },
  ];
}
