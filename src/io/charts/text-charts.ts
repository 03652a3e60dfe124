import { oneLine } from "../text.ts";

/** Charts as text. They have no color, so `NO_COLOR` changes nothing; `plain` draws with ASCII characters only. */
export interface ChartOptions {
  /** Columns of the terminal. */
  width: number;
  plain: boolean;
}

const eighths = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/** A bar for a value from 0 to `max`, at most `width` columns long. What is more than nothing is never drawn as nothing. */
export function bar(value: number, max: number, width: number, plain: boolean): string {
  if (value <= 0 || max <= 0 || width <= 0) return "";
  const length = (Math.min(value, max) / max) * width;
  if (plain) return "#".repeat(Math.max(1, Math.round(length)));
  const parts = Math.max(1, Math.round(length * 8));
  return "█".repeat(Math.floor(parts / 8)) + eighths[parts % 8];
}

const levels = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];
const plainLevels = [".", ":", "-", "=", "+", "*", "#", "@"];

/** One character for each value from 0 to `max`, a space for null. More values than columns: the last ones. */
export function sparkline(values: readonly (number | null)[], max: number, { width, plain }: ChartOptions): string {
  const drawn = plain ? plainLevels : levels;
  const levelOf = (value: number) => Math.max(0, Math.min(drawn.length - 1, Math.ceil((value / (max || 1)) * drawn.length) - 1));
  return values
    .slice(-width)
    .map((value) => (value === null ? " " : drawn[levelOf(value)]))
    .join("");
}

/** One row of a chart: its name, the length of its bar, and the value as text. */
export interface BarRow {
  label: string;
  value: number;
  text: string;
}

const gap = 2;
const shortestBar = 4;
const longestBar = 40;

const cut = (text: string, width: number) => {
  const characters = [...text];
  return characters.length > width ? `${characters.slice(0, width - 1).join("")}~` : text;
};

/** Rows with their names on the left and bars on the right of the values. On a narrow terminal names are cut first, then the bars go. */
export function barChart(rows: readonly BarRow[], { width, plain }: ChartOptions): string[] {
  const shown = rows.map(({ label, ...row }) => ({ ...row, label: oneLine(label) }));
  const longest = (texts: readonly string[]) => Math.max(0, ...texts.map((text) => [...text].length));
  const values = longest(shown.map(({ text }) => text));
  const named = longest(shown.map(({ label }) => label));
  const names = Math.max(1, Math.min(named, Math.max(8, Math.floor(width / 3)), width - values - 2 * gap));
  const room = Math.min(longestBar, width - names - values - 3 * gap);
  const max = Math.max(0, ...shown.map(({ value }) => value));
  return shown.map(({ label, value, text }) => {
    const start = `${" ".repeat(gap)}${cut(label, names).padEnd(names)}${" ".repeat(gap)}${text.padStart(values)}`;
    return room < shortestBar ? start : `${start}${" ".repeat(gap)}${bar(value, max, room, plain)}`.trimEnd();
  });
}
