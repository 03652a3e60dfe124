import type { Config } from "../../config/schema.ts";
import type { ConfirmationDocument } from "./confirmation-rules.ts";
import { createFonts } from "./fonts.ts";
import { factLines, type InvoiceDocument, type Party, type StatementDocument } from "./rules.ts";

/** Renders documents as PDF. */
export interface Printer {
  invoice(invoice: InvoiceDocument): Promise<Buffer>;
  confirmation(confirmation: ConfirmationDocument): Promise<Buffer>;
  statement(statement: StatementDocument): Promise<Buffer>;
}

/** Loads pdfkit and the fonts for the first document, to save memory until then. */
export function createPrinter(config: Config): Printer {
  const fonts = createFonts(config.invoices.fonts);
  return {
    invoice: async (invoice) => (await import("./pdf.ts")).printInvoice(invoice, fonts),
    confirmation: async (order) => (await import("./confirmation-pdf.ts")).printConfirmation(order, fonts),
    statement: async (statement) => (await import("./statement-pdf.ts")).printStatement(statement, fonts),
  };
}

/** Who sells playtests and pays playtesters, on documents. */
export function sellerOf({ invoices, brand }: Pick<Config, "invoices" | "brand">): Party {
  const { name, lines, country, taxNumber, email } = invoices.seller;
  return {
    name: name ?? brand.name ?? "Playtest",
    lines: [...lines, ...factLines({ country, taxNumber }), ...(email === null ? [] : [email])],
  };
}
