import type { Config } from "../../config/schema.ts";
import { createFonts } from "./fonts.ts";
import type { InvoiceDocument } from "./rules.ts";

/** Sets invoices as PDF. */
export type InvoicePrinter = (invoice: InvoiceDocument) => Promise<Buffer>;

/** pdfkit and the fonts are loaded with the first invoice: a server that prints none stays small. */
export function createInvoicePrinter(config: Config): InvoicePrinter {
  const fonts = createFonts(config.invoices.fonts);
  return async (invoice) => (await import("./pdf.ts")).printInvoice(invoice, fonts);
}
