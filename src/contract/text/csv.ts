/**
 * Where a formula begins: at the start of a cell, and behind what a spreadsheet may take for the end of one, which is a semicolon where a
 * comma is part of numbers. Quotes around it are removed there. Some spreadsheets take the wide forms of these characters too.
 */
const formula = /(^|[;\t\n\r])(?=[" ]*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20])/g;
const number = /^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i;

/** Puts `'` before whatever a spreadsheet would run as a formula. Numbers are left alone. */
export const escapeFormula = (text: string): string => (number.test(text) ? text : text.replace(formula, "$1'"));

/** One CSV line (RFC 4180), quoted where a spreadsheet would split a cell: those of some languages split at semicolons or tabs. */
export const csvLine = (cells: readonly string[]): string =>
  `${cells.map((cell) => (/[",;\t\n\r]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(",")}\r\n`;
