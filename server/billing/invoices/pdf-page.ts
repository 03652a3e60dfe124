import PDFDocument from "pdfkit";
import type { Fonts } from "./fonts.ts";
import { createPen, type Line, type PdfWriter } from "./pdf-writer.ts";
import type { Party } from "./rules.ts";

export const margin = 56;
const pageWidth = 595;
const pageHeight = 842;
export const right = pageWidth - margin;
/** Where the second of two parties begins. */
export const column = 330;
/** The lowest position at which a line may begin. */
const lowest = pageHeight - margin - 40;
const footer = pageHeight - margin;
/** How far text that is longer than a line may go below `lowest`. */
const belowLowest = footer - 12 - lowest;
/** How many lines the address of a party has, so that the page is long enough for any. */
const mostLines = 15;
/** How wide the text of a row is, beside its amount. */
const rowWidth = 360;

export const date = (ms: number) => new Date(ms).toISOString().slice(0, 10);
/** A period without its end, as its first and last day. */
export const days = (from: number, to: number) => `${date(from)} to ${date(to - 1)} (UTC)`;

interface Head {
  title: string;
  author: string;
  /** In milliseconds. Nothing else depends on the time, so the same document always gives the same bytes. */
  createdAt: number;
}

/** What all documents of a server look like. */
export interface Stationery {
  fonts: Fonts;
  /** A PNG or JPEG picture. */
  logo: Buffer | null;
}

/** How large the logo may be in the corner opposite of the title (pt). */
const logoBox = { width: 120, height: 40 };

/** Pages that are drawn from top to bottom. */
export interface Sheet {
  pen: PdfWriter;
  /** The position below what was drawn last. */
  y: number;
  /** Moves down by `gap`, or to a new page if less than `height` is left there. True if it began a page. */
  advance(gap: number, height?: number): boolean;
}

/** Renders an A4 document with the logo on its first page. Each page says which one it is. */
export async function printPages(head: Head, { fonts, logo }: Stationery, draw: (sheet: Sheet) => void): Promise<Buffer> {
  const created = new Date(head.createdAt);
  const info = { Title: head.title, Author: head.author, CreationDate: created, ModDate: created };
  const doc = new PDFDocument({ size: "A4", margin, lang: "en", info, bufferPages: true });
  const bytes = collect(doc);
  const pen = createPen(doc, fonts);
  const { width, height } = logoBox;
  if (logo) doc.image(logo, right - width, margin, { fit: [width, height], align: "right" });
  draw({
    pen,
    y: margin,
    advance(gap, height = 0) {
      this.y += gap;
      if (this.y + height <= lowest) return false;
      doc.addPage();
      this.y = margin;
      return true;
    },
  });
  const { count } = doc.bufferedPageRange();
  for (let page = 0; page < count; page++) {
    doc.switchToPage(page);
    pen.write(head.title, { x: margin, y: footer - 12, size: 8, soft: true });
    pen.write(`Page ${page + 1} of ${count}`, { right, y: footer - 12, size: 8, soft: true });
  }
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

/** Moves to a new page if the lines do not fit on this one. True if it began a page. */
const advanceFor = (sheet: Sheet, lines: readonly Line[]): boolean =>
  sheet.advance(0, Math.max(0, lines.reduce((sum, { height }) => sum + height, 0) - belowLowest));

/** Draws lines below each other, on further pages where one is full. */
function flow(sheet: Sheet, lines: readonly Line[], drawn: (line: Line, y: number) => void = () => {}): void {
  for (const line of lines) {
    sheet.advance(0);
    drawn(line, sheet.y);
    sheet.y = line.draw(sheet.y);
  }
}

export function title(sheet: Sheet, text: string, below?: string): void {
  sheet.y = sheet.pen.write(text, { x: margin, y: sheet.y, size: 24, bold: true });
  if (below) sheet.y = sheet.pen.write(below, { x: margin, y: sheet.y + 2, width: right - margin, size: 12 });
  sheet.y += 14;
}

export function facts(sheet: Sheet, rows: readonly (readonly [label: string, value: string])[]): void {
  for (const [label, value] of rows) {
    const lines = sheet.pen.lay(value, { x: margin + 110, width: right - margin - 110 });
    advanceFor(sheet, lines);
    sheet.pen.write(label, { x: margin, y: sheet.y, soft: true });
    flow(sheet, lines);
    sheet.y += 3.5;
  }
}

/** Writes both parties side by side. */
export function parties(sheet: Sheet, left: [label: string, party: Party], beside: [label: string, party: Party]): void {
  sheet.y += 26;
  const bottoms = [party(sheet, left, margin, column - margin - 24), party(sheet, beside, column, right - column)];
  sheet.y = Math.max(...bottoms);
}

/** Writes the name and address of a party. Returns the vertical position below it. */
function party({ pen, y }: Sheet, [label, { name, lines }]: [string, Party], x: number, width: number): number {
  pen.write(label, { x, y, soft: true });
  let bottom = pen.write(name, { x, y: y + 18, width, size: 12 });
  for (const line of atMost(mostLines, lines)) bottom = pen.write(line, { x, y: bottom, width });
  return bottom;
}

/** As many lines; the last has what the others do not. */
const atMost = (most: number, lines: readonly string[]) =>
  lines.length <= most ? lines : [...lines.slice(0, most - 1), lines.slice(most - 1).join(", ")];

export interface Row {
  label: string;
  /** What the amount comes from, in smaller text below the label. */
  detail?: string | undefined;
  amount: string;
  bold?: boolean;
}

/** Writes rows between two rules, on further pages where one is full. `unit` stands above the amounts. */
export function table(sheet: Sheet, head: { title: string; unit: string }, rows: readonly Row[]): void {
  sheet.advance(32, 60);
  tableHead(sheet, head);
  for (const { label, detail, amount, bold = false } of rows) {
    const lines = sheet.pen.lay(label, { x: margin, width: rowWidth, bold });
    if (detail !== undefined) lines.push(...sheet.pen.lay(detail, { x: margin, width: rowWidth, size: 9, soft: true }));
    if (advanceFor(sheet, lines)) tableHead(sheet, head);
    sheet.pen.write(amount, { right, y: sheet.y, bold });
    flow(sheet, lines);
    sheet.y += 8;
  }
  sheet.pen.rule(margin, right, sheet.y);
}

function tableHead(sheet: Sheet, { title, unit }: { title: string; unit: string }): void {
  sheet.pen.write(title, { x: margin, y: sheet.y, soft: true });
  sheet.pen.write(unit, { right, y: sheet.y, soft: true });
  sheet.pen.rule(margin, right, sheet.y + 18);
  sheet.y += 26;
}

/** Writes what the rows of a table come to, on one page. */
export function sums(sheet: Sheet, rows: readonly Row[]): void {
  sheet.advance(10, rows.length * 20);
  for (const { label, amount, bold = false } of rows) {
    sheet.pen.write(amount, { right, y: sheet.y, bold });
    sheet.y = sheet.pen.write(label, { x: column, y: sheet.y, width: right - column - 90, bold }) + 4;
  }
}

/** Writes a sentence over the whole width, which can lead to an address. */
export function paragraph(sheet: Sheet, text: string, href: string | null = null): void {
  const width = right - margin;
  sheet.advance(href === null ? 16 : 4, 16);
  flow(sheet, sheet.pen.lay(text, { x: margin, width }), ({ height }, y) => {
    if (href !== null) sheet.pen.link({ x: margin, y, width, height }, href);
  });
}

/** Writes what a section is about, not at the end of a page. */
export function heading(sheet: Sheet, text: string): void {
  sheet.advance(24, 60);
  flow(sheet, sheet.pen.lay(text, { x: margin, width: right - margin, size: 13, bold: true }));
}
