import { usd } from "../../lib/money.ts";
import type { Fonts } from "./fonts.ts";
import { column, date, facts, margin, party, printPages, right } from "./pdf-page.ts";
import type { PdfWriter } from "./pdf-writer.ts";
import type { InvoiceDocument } from "./rules.ts";

/** Renders an invoice on one A4 page. The same document always gives the same bytes. */
export const printInvoice = (invoice: InvoiceDocument, fonts: Fonts): Promise<Buffer> =>
  printPages({ title: `Invoice ${invoice.number}`, author: invoice.seller.name, createdAt: invoice.issuedAt }, fonts, (pen) =>
    draw(pen, invoice),
  );

function draw(pen: PdfWriter, invoice: InvoiceDocument): void {
  pen.write("Invoice", { x: margin, y: margin, size: 24, bold: true });
  facts(pen, margin + 48, [
    ["Invoice number", invoice.number],
    ["Issued", date(invoice.issuedAt)],
    ["Paid", date(invoice.paidAt)],
  ]);
  const from = party(pen, "From", invoice.seller, margin, 190);
  const to = party(pen, "Billed to", invoice.buyer, column, 190);
  const below = lines(pen, invoice, Math.max(from, to) + 32);
  facts(pen, below + 40, [
    ["Payment", invoice.paymentId],
    ["Paid by", invoice.paidBy],
    ["Reference", invoice.reference],
  ]);
}

function lines(pen: PdfWriter, invoice: InvoiceDocument, y: number): number {
  pen.write("Description", { x: margin, y, soft: true });
  pen.write(`Amount (${invoice.currency})`, { right, y, soft: true });
  pen.rule(margin, right, y + 18);
  let bottom = y + 26;
  for (const { description, cents } of invoice.lines) {
    pen.write(usd(cents), { right, y: bottom });
    bottom = pen.write(description, { x: margin, y: bottom, width: 360 }) + 8;
  }
  pen.rule(margin, right, bottom);
  pen.write("Total", { x: margin, y: bottom + 10, bold: true });
  pen.write(usd(invoice.totalCents), { right, y: bottom + 10, bold: true });
  return bottom + 28;
}
