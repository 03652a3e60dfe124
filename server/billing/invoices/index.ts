import type { Config } from "../../config/schema.ts";
import { createFonts } from "./fonts.ts";
import type { InvoiceDocument, Party, StatementDocument } from "./rules.ts";

/** Renders documents as PDF. */
export interface Printer {
  invoice(invoice: InvoiceDocument): Promise<Buffer>;
  statement(statement: StatementDocument): Promise<Buffer>;
}

/** Loads pdfkit and the fonts for the first document, to save memory until then. */
export function createPrinter(config: Config): Printer {
  const fonts = createFonts(config.invoices.fonts);
  return {
    invoice: async (invoice) => (await import("./pdf.ts")).printInvoice(invoice, fonts),
    statement: async (statement) => (await import("./statement-pdf.ts")).printStatement(statement, fonts),
  };
}

/** Who sells playtests and pays playtesters, on documents. */
export const sellerOf = ({ invoices, brand }: Pick<Config, "invoices" | "brand">): Party => ({
  ...invoices.seller,
  name: invoices.seller.name ?? brand.name ?? "Playtest",
});
