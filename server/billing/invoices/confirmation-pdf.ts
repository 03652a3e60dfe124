import { lengthText } from "../../../src/contract/text/length.ts";
import { usd } from "../../lib/money.ts";
import type { ConfirmationDocument, Source } from "./confirmation-rules.ts";
import { referenceText } from "./pdf.ts";
import { date, facts, paragraph, parties, printPages, type Sheet, type Stationery, sums, table, title } from "./pdf-page.ts";
import { unitPrice } from "./rules.ts";

/** Renders what an order that was paid with credit or hours gets on A4 pages. The same document always gives the same bytes. */
export const printConfirmation = (document: ConfirmationDocument, stationery: Stationery): Promise<Buffer> =>
  printPages(
    { title: `Order confirmation ${document.orderId}`, author: document.seller.name, createdAt: document.orderedAt },
    stationery,
    (sheet) => draw(sheet, document),
  );

function draw(sheet: Sheet, document: ConfirmationDocument): void {
  const { paidWith, amount, units, sources, replaces } = document;
  const shown = paidWith === "credit" ? usd : (minutes: number) => lengthText(minutes * 60);
  const unit = paidWith === "credit" ? "Amount (USD)" : "Hours";
  title(sheet, "Order confirmation", `Paid with ${paidWith}, nothing due. This is not an invoice.`);
  facts(sheet, [
    ["Order", document.orderId],
    ["Ordered", date(document.orderedAt)],
  ]);
  parties(sheet, ["From", document.seller], ["Ordered by", document.buyer]);
  table(sheet, { title: "Description", unit }, [
    { label: document.description, detail: units && unitPrice(units), amount: shown(amount) },
  ]);
  sums(sheet, [
    { label: "Total", amount: shown(amount), bold: true },
    { label: `Paid with ${paidWith}`, amount: `-${shown(amount)}` },
    { label: "Due", amount: usd(0), bold: true },
  ]);
  table(
    sheet,
    { title: `The ${paidWith} came from, the oldest first`, unit },
    sources.map((source) => ({ label: sourceText(source, paidWith), amount: shown(source.amount) })),
  );
  if (sources.some(({ invoice }) => invoice))
    paragraph(sheet, `The money that paid for the ${paidWith} is on the invoices named above.`);
  if (replaces !== undefined)
    paragraph(
      sheet,
      `This replaces the invoice ${replaces}, which was issued for this order although nothing was due. It is void.`,
    );
}

function sourceText({ invoice, note }: Source, paidWith: "credit" | "hours"): string {
  if (invoice) return `Invoice ${referenceText(invoice)}`;
  return note === null ? `Other ${paidWith}` : `Added by the operator: ${note}`;
}
