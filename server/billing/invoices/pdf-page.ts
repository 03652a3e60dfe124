import PDFDocument from "pdfkit";
import type { Fonts } from "./fonts.ts";
import { createPen, type PdfWriter } from "./pdf-writer.ts";
import type { Party } from "./rules.ts";

export const margin = 56;
const pageWidth = 595;
const pageHeight = 842;
export const right = pageWidth - margin;
/** Where the second of two parties begins. */
export const column = 330;
/** The lowest position at which a line may begin. */
export const lowest = pageHeight - margin - 24;

export const date = (ms: number) => new Date(ms).toISOString().slice(0, 10);

interface Head {
  title: string;
  author: string;
  /** In milliseconds. Nothing else depends on the time, so the same document always gives the same bytes. */
  createdAt: number;
}

/** Renders an A4 document. `draw` may begin further pages. */
export async function printPages(head: Head, fonts: Fonts, draw: (pen: PdfWriter, addPage: () => void) => void): Promise<Buffer> {
  const created = new Date(head.createdAt);
  const info = { Title: head.title, Author: head.author, CreationDate: created, ModDate: created };
  const doc = new PDFDocument({ size: "A4", margin, lang: "en", info });
  const bytes = collect(doc);
  draw(createPen(doc, fonts), () => void doc.addPage());
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

export function facts(pen: PdfWriter, y: number, rows: [string, string][]): void {
  for (const [index, [label, value]] of rows.entries()) {
    pen.write(label, { x: margin, y: y + index * 18, soft: true });
    pen.write(value, { x: margin + 110, y: y + index * 18 });
  }
}

/** Writes the name and address of a party. Returns the vertical position below it. */
export function party(pen: PdfWriter, label: string, { name, lines }: Party, x: number, y: number): number {
  const width = x === margin ? column - margin - 24 : right - x;
  pen.write(label, { x, y, soft: true });
  let bottom = pen.write(name, { x, y: y + 18, width, size: 12 });
  for (const line of lines) bottom = pen.write(line, { x, y: bottom, width });
  return bottom;
}
