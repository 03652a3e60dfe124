import { type CellOptions, type Column, columnValue, csvLine, guard, show, type View } from "./cells.ts";
import type { Item } from "./fields.ts";
import { lines } from "./text.ts";

/** Items for a program: one line each, its cells separated by tabs, or by commas as CSV. */
export interface LineOptions {
  csv: boolean;
  /** Keep cells from being run as formulas by a spreadsheet. */
  guarded: boolean;
  cells: CellOptions;
}

const joined = (texts: readonly string[], csv: boolean) => (csv ? csvLine(texts) : `${texts.join("\t")}\n`);

export const headerLine = (columns: readonly Column[], { csv }: LineOptions) =>
  joined(
    columns.map((column) => column.header),
    csv,
  );

export function itemLine(columns: readonly Column[], item: Item, { csv, guarded, cells }: LineOptions): string {
  const texts = columns.map((column) => show(columnValue(column, item), column.as, cells));
  return joined(guarded ? texts.map(guard) : texts, csv);
}

/** One item for a program: a line for each field. */
export const fieldLines = ({ columns }: View, item: Item, cells: CellOptions) =>
  columns.map((column) => `${column.header}\t${show(columnValue(column, item), column.as, cells)}\n`).join("");

/** Items for a person: a table as wide as the terminal at most. */
export async function tableText(columns: readonly Column[], items: readonly Item[], cells: CellOptions, width: number) {
  const { table } = await import("./table.ts");
  const cell = ({ give, ...column }: Column, item: Item) => {
    const value = columnValue(column, item);
    // Line breaks stay where there is room for lines.
    const parts = give === "wrap" && typeof value === "string" ? value.trimEnd().split(/\r?\n/) : [value];
    return parts.map((part) => show(part, column.as, cells)).join("\n");
  };
  const drawn = columns.map((column) => ({
    head: cells.paint("bold", column.header.toUpperCase()),
    give: column.give,
    cells: items.map((item) => cell(column, item)),
  }));
  return table(drawn, width);
}

/** One item for a person: a line for each field that has a value, ids in full. */
export function detailText({ columns }: View, item: Item, cells: CellOptions): string {
  const all = columns.map((column) => [column.header, columnValue(column, item), column.as] as const);
  const full = { ...cells, shortIds: false };
  const filled = all.filter(([, value, as]) => show(value, as, full) !== "");
  const width = Math.max(0, ...filled.map(([header]) => header.length));
  const drawn = filled.map(([header, value, as]) => {
    const text = typeof value === "string" && as === "text" ? lines(value) : show(value, as, full);
    const indented = text.replaceAll("\n", `\n${" ".repeat(width + 2)}`);
    return `${cells.paint("bold", header.padEnd(width))}  ${indented}`.trimEnd();
  });
  return `${drawn.join("\n")}\n`;
}
