import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createPrinter } from "../../server/billing/invoices/index.ts";
import type { InvoiceDocument } from "../../server/billing/invoices/rules.ts";
import type { Logo } from "../../server/config/brand.ts";
import { defaults } from "../../server/config/defaults.ts";
import { pdfText } from "../helpers/pdf.ts";
import { pngOf } from "../helpers/png.ts";

const size = { width: 60, height: 30 };
const green = [10, 125, 90, 200] as const;
const jpeg = readFileSync(join(import.meta.dirname, "../fixtures/pictures/baseline.jpg"));
const paidAt = Date.parse("2026-03-01T12:00:00Z");
const invoice: InvoiceDocument = {
  number: "PT-2026-000001",
  issuedAt: paidAt,
  paidAt,
  seller: { name: "Lantern Markets", lines: ["1 Quay Street"] },
  buyer: { name: "Moon Games GmbH", lines: ["Kai 1", "20457 Hamburg"] },
  lines: [{ description: "4 × playtest of 60 minutes, 1 player", units: { count: 4, cents: 2_000 }, cents: 8_000 }],
  totalCents: 8_000,
  currency: "USD",
  paymentId: "P",
  paidBy: "Card",
  reference: "cs_1",
};

/** Prints the invoice twice on the paper of a server with this logo. */
async function printed(logo: Logo | null) {
  const warned: string[] = [];
  const nothing = () => {};
  const warn = (_: object, message?: string) => void warned.push(message ?? "");
  const printer = createPrinter(defaults, { logo }, { debug: nothing, info: nothing, error: nothing, access: nothing, warn });
  const [pdf, again] = [await printer.invoice(invoice), await printer.invoice(invoice)];
  expect(again.equals(pdf)).toBe(true);
  return { pdf, warned, hasPicture: pdf.includes("/Subtype /Image") };
}

it.each<[name: string, logo: Logo | null, hasPicture: boolean]>([
  ["a transparent PNG", { type: "image/png", bytes: pngOf(size, green) }, true],
  ["a JPEG", { type: "image/jpeg", bytes: jpeg }, true],
  ["an SVG", { type: "image/svg+xml", bytes: Buffer.from("<svg/>") }, false],
  ["a WebP", { type: "image/webp", bytes: Buffer.from("RIFF0000WEBP") }, false],
  ["no logo", null, false],
])("documents: with %s, have a picture: %#", async (_, logo, hasPicture) => {
  const document = await printed(logo);
  expect([document.hasPicture, document.warned]).toEqual([hasPicture, []]);
  expect(pdfText(document.pdf)).toContain("\n4 × $20.00\n");
  expect(pdfText(document.pdf)).toMatch(/\nInvoice PT-2026-000001\nPage 1 of 1\n$/);
  if (process.env.PLAYTEST_SCREENSHOTS && logo?.type === "image/png")
    writeFileSync(join(process.env.PLAYTEST_SCREENSHOTS, "invoice.pdf"), document.pdf);
});

it.each([
  ["a PNG that is cut off", "image/png", pngOf(size, green).subarray(0, 60)],
  ["a PNG whose pixels are damaged", "image/png", pngOf(size, green, Buffer.from("damaged"))],
  ["a JPEG without a picture", "image/jpeg", Buffer.from("ffd8ff", "hex")],
])("documents: are printed without %s, and the log says so once", async (_, type, bytes) => {
  const { warned, hasPicture } = await printed({ type, bytes });
  expect([hasPicture, warned]).toEqual([false, [expect.stringContaining("brand.logo is damaged")]]);
});
