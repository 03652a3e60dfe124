import PDFDocument from "pdfkit";
import { usd } from "../../lib/money.ts";
import type { Fonts } from "./fonts.ts";
import { createPen, type PdfWriter } from "./pdf-writer.ts";
import type { InvoiceDocument, Party } from "./rules.ts";

const margin = 56;
const pageWidth = 595;
const right = pageWidth - margin;
const column = 330;

const date = (ms: number) => new Date(ms).toISOString().slice(0, 10);

/** Renders an invoice on one A4 page. The same document always gives the same bytes. */
export async function printInvoice(invoice: InvoiceDocument, fonts: Fonts): Promise<Buffer> {
  const doc = new PDFDocument({
    size: "A4",
    margin,
    lang: "en",
    info: {
      Title: `Invoice ${invoice.number}`,
      Author: invoice.seller.name,
      CreationDate: new Date(invoice.issuedAt),
      ModDate: new Date(invoice.issuedAt),
    },
  });
  const bytes = collect(doc);
  draw(createPen(doc, fonts), invoice);
  doc.end();
  return bytes;
}

function collect(doc: PDFKit.PDFDocument): Promise<Buffer> {
  const chunks: Buffer[] = [];
  return new Promise((resolve, reject) => {
    doc.on("data", (chunk: Buffer) => chunks.push(chunk));
    doc.once("end", () => resolve(Buffer.concat(chunks)));
    doc.once("error", reject);
  });
}

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

function facts(pen: PdfWriter, y: number, rows: [string, string][]): void {
  for (const [index, [label, value]] of rows.entries()) {
    pen.write(label, { x: margin, y: y + index * 18, soft: true });
    pen.write(value, { x: margin + 110, y: y + index * 18 });
  }
}

/** Writes the name and address of a party. Returns the vertical position below it. */
function party(pen: PdfWriter, label: string, { name, lines }: Party, x: number, y: number): number {
  const width = x === margin ? column - margin - 24 : right - x;
  pen.write(label, { x, y, soft: true });
  let bottom = pen.write(name, { x, y: y + 18, width, size: 12 });
  for (const line of lines) bottom = pen.write(line, { x, y: bottom, width });
  return bottom;
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
