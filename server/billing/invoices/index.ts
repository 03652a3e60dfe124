import type { Config } from "../../config/schema.ts";
import { createFonts } from "./fonts.ts";
import type { InvoiceDocument } from "./rules.ts";

/** Renders invoices as PDF. */
export type InvoicePrinter = (invoice: InvoiceDocument) => Promise<Buffer>;

/** Loads pdfkit and the fonts for the first invoice, to save memory until then. */
export function createInvoicePrinter(config: Config): InvoicePrinter {
  const fonts = createFonts(config.invoices.fonts);
  return async (invoice) => (await import("./pdf.ts")).printInvoice(invoice, fonts);
}
