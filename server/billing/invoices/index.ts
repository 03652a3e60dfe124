import type { Brand } from "../../config/brand.ts";
import type { Config } from "../../config/schema.ts";
import type { Log } from "../../lib/log.ts";
import type { ConfirmationDocument } from "./confirmation-rules.ts";
import { createFonts } from "./fonts.ts";
import type { Stationery } from "./pdf-page.ts";
import { factLines, type InvoiceDocument, type Party, type StatementDocument } from "./rules.ts";

/** Renders documents as PDF. */
export interface Printer {
  invoice(invoice: InvoiceDocument): Promise<Buffer>;
  confirmation(confirmation: ConfirmationDocument): Promise<Buffer>;
  statement(statement: StatementDocument): Promise<Buffer>;
}

/** Loads pdfkit, the fonts and the logo for the first document, to save memory until then. */
export function createPrinter({ invoices }: Pick<Config, "invoices">, { logo }: Pick<Brand, "logo">, log: Log): Printer {
  let loaded: Promise<Stationery> | undefined;
  const stationery = () => {
    loaded ??= import("./logo.ts").then(({ printableLogo }) => ({
      fonts: createFonts(invoices.fonts, (message) => log.warn({}, message)),
      logo: printableLogo(logo, log),
    }));
    return loaded;
  };
  return {
    invoice: async (invoice) => (await import("./pdf.ts")).printInvoice(invoice, await stationery()),
    confirmation: async (order) => (await import("./confirmation-pdf.ts")).printConfirmation(order, await stationery()),
    statement: async (statement) => (await import("./statement-pdf.ts")).printStatement(statement, await stationery()),
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
