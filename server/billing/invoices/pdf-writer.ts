import type { FontFile, Fonts } from "./fonts.ts";
import { runsOf, wrap } from "./runs.ts";

interface Placed {
  y: number;
  /** The position of the left edge. Alternatively, `right` is that of the right edge. */
  x?: number;
  right?: number;
  /** Wraps text wider than this. */
  width?: number;
  size?: number;
  bold?: boolean;
  soft?: boolean;
}

/** A line of text that is not drawn yet. */
export interface Line {
  height: number;
  /** Draws it below `y`. Returns the vertical position below it. */
  draw(y: number): number;
}

export interface PdfWriter {
  /** Breaks text of any script into lines. */
  lay(text: string, placed: Omit<Placed, "y">): Line[];
  /** Writes text of any script. Returns the vertical position below it. */
  write(text: string, placed: Placed): number;
  rule(from: number, to: number, y: number): void;
  /** Draws a bar of which a share, from 0 to 1, is filled. */
  bar(box: { x: number; y: number; width: number; height: number }, share: number): void;
  /** Makes a box lead to an address. */
  link(box: { x: number; y: number; width: number; height: number }, href: string): void;
}

/** The parsed font that pdfkit keeps. Using it avoids parsing each font a second time. */
interface Parsed {
  _font: { font: { hasGlyphForCodePoint(code: number): boolean } };
}

/** With `features`, even an empty list, pdfkit lays out a run as a whole. Otherwise it would reverse the order of Arabic words. */
const wholeRun: PDFKit.Mixins.TextOptions = { features: [], lineBreak: false };
const lineHeight = 1.45;

export function createPen(doc: PDFKit.PDFDocument, fonts: Fonts): PdfWriter {
  const files = new Map<string, FontFile>([...fonts.text, fonts.bold].map((file) => [file.name, file]));
  /** Whether a font could be loaded, by its name. */
  const registered = new Map<string, boolean>();
  const plain = fonts.text.map((file) => file.name);
  const strong = [fonts.bold.name, ...plain];

  /** Chooses a font. False if it cannot be loaded. */
  function use(name: string): boolean {
    let usable = registered.get(name);
    if (usable === undefined) {
      const bytes = files.get(name)!.load();
      usable = bytes !== null;
      if (bytes) doc.registerFont(name, bytes);
      registered.set(name, usable);
    }
    if (usable) doc.font(name);
    return usable;
  }

  function covers(name: string, cluster: string): boolean {
    if (!use(name)) return false;
    const { font } = (doc as unknown as Parsed)._font;
    return [...cluster].every((character) => font.hasGlyphForCodePoint(character.codePointAt(0)!));
  }

  const measure = (text: string, names: readonly string[], size: number) =>
    runsOf(text, names, covers).reduce((width, run) => {
      use(run.font);
      return width + doc.fontSize(size).widthOfString(run.text, wholeRun);
    }, 0);

  function line(text: string, names: readonly string[], size: number, left: number, y: number): void {
    let x = left;
    for (const run of runsOf(text, names, covers)) {
      use(run.font);
      doc.fontSize(size).text(run.text, x, y, { ...wholeRun, baseline: "alphabetic" });
      x += doc.widthOfString(run.text, wholeRun);
    }
  }

  function lay(
    text: string,
    { x, right, width = Number.POSITIVE_INFINITY, size = 10, bold = false, soft = false }: Omit<Placed, "y">,
  ): Line[] {
    const names = bold ? strong : plain;
    const oneLine = text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim();
    const height = size * lineHeight;
    const rows = wrap(oneLine, width, (part) => measure(part, names, size));
    return (rows.length === 0 ? [""] : rows).map((row) => ({
      height,
      draw(y) {
        doc.fillColor(soft ? "#5b6675" : "#1c2430");
        line(row, names, size, x ?? right! - measure(row, names, size), y + size);
        return y + height;
      },
    }));
  }

  return {
    lay,
    write: (text, { y, ...placed }) => lay(text, placed).reduce((top, row) => row.draw(top), y),
    bar({ x, y, width, height }, share) {
      doc.rect(x, y, width, height).fill("#e6eaf0");
      if (share > 0) doc.rect(x, y, width * share, height).fill("#1d5fd1");
    },
    link: ({ x, y, width, height }, href) => void doc.link(x, y, width, height, href),
    rule: (from, to, y) => void doc.moveTo(from, y).lineTo(to, y).lineWidth(0.75).strokeColor("#d5dbe3").stroke(),
  };
}
