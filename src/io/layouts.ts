import { csvLine, escapeFormula } from "../contract/text/csv.ts";
import { type CellOptions, type Column, columnValue, show, type View } from "./cells.ts";
import type { Item } from "./fields.ts";
import type { TableColumn } from "./table.ts";
import { foldLines, lines } from "./text.ts";

/** Options for machine-readable output: one line per item, with cells separated by tabs, or by commas for CSV. */
export interface LineOptions {
  csv: boolean;
  /** Excel takes text without this mark for the encoding of its computer, and shows wrong accents. */
  byteOrderMark: boolean;
  /** Escape cells that a spreadsheet would run as formulas. */
  escapeFormulas: boolean;
  cells: CellOptions;
}

/** The least room that values are broken for. */
const narrowest = 16;

const joined = (texts: readonly string[], csv: boolean) => (csv ? csvLine(texts) : `${texts.join("\t")}\n`);

export const headerLine = (columns: readonly Column[], { csv, byteOrderMark }: LineOptions) =>
  (byteOrderMark ? "\ufeff" : "") +
  joined(
    columns.map((column) => column.header),
    csv,
  );

export function itemLine(columns: readonly Column[], item: Item, { csv, escapeFormulas, cells }: LineOptions): string {
  const texts = columns.map((column) => show(columnValue(column, item), column.as, cells));
  return joined(escapeFormulas ? texts.map(escapeFormula) : texts, csv);
}

/** One item in machine-readable form: one line per field. */
export const fieldLines = ({ columns }: View, item: Item, cells: CellOptions) =>
  columns.map((column) => `${column.header}\t${show(columnValue(column, item), column.as, cells)}\n`).join("");

/** When a value of a format may be cut: an id never, and a short value only when no text is left to cut. */
const cutOf = ({ as = "text", inTable }: Column): TableColumn["cut"] =>
  as === "id" ? "never" : as === "text" && inTable === undefined ? undefined : "last";

/** Items as a table that fits the terminal. */
export async function tableText(columns: readonly Column[], items: readonly Item[], cells: CellOptions, width: number) {
  const { table } = await import("./table.ts");
  const cell = ({ overflow, ...column }: Column, item: Item) => {
    const value = column.inTable ? column.inTable(item) : columnValue(column, item);
    // Only columns that wrap keep their line breaks.
    const parts = overflow === "wrap" && typeof value === "string" ? value.trimEnd().split(/\r?\n/) : [value];
    return parts.map((part) => show(part, column.as, cells)).join("\n");
  };
  const drawn = columns.map((column) => ({
    head: cells.paint("bold", column.header.toUpperCase()),
    overflow: column.overflow,
    cut: cutOf(column),
    cells: items.map((item) => cell(column, item)),
  }));
  return table(drawn, width);
}

/** No character below U+0300 takes two columns. */
const isPlain = (text: string) => /^[\0-\u02ff]*$/.test(text);

/**
 * Text that fits into `width` columns: broken between words, and anywhere in a script that has none between them. An address or another long
 * word stays whole, so that it can be copied.
 */
async function fitted(text: string, width: number): Promise<string> {
  const folded = foldLines(text, width);
  if (width < narrowest || isPlain(folded)) return folded;
  return (await import("./table.ts")).broken(folded, width);
}

/** One item in detail: one line for each field that has a value, with full ids and text folded to the width of the terminal. */
export async function detailText({ columns }: View, item: Item, cells: CellOptions, terminalWidth: number) {
  const all = columns.map((column) => [column.header, columnValue(column, item), column.as] as const);
  const full = { ...cells, shortIds: false };
  const filled = all.filter(([, value, as]) => show(value, as, full) !== "");
  const width = Math.max(0, ...filled.map(([header]) => header.length));
  const room = terminalWidth - width - 2;
  const drawn = filled.map(async ([header, value, as]) => {
    const text = typeof value === "string" && as === "text" ? lines(value) : show(value, as, full);
    const indented = (as === "text" ? await fitted(text, room) : text).replaceAll("\n", `\n${" ".repeat(width + 2)}`);
    return `${cells.paint("bold", header.padEnd(width))}  ${indented}`.trimEnd();
  });
  return `${(await Promise.all(drawn)).join("\n")}\n`;
}
