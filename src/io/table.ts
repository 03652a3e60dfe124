export interface TableColumn {
  head: string;
  /** On a narrow terminal: wrap the text, or drop the column. Default: cut the text. */
  overflow: "wrap" | "drop" | undefined;
  /** `never`: the cells are ids, which are worth nothing in part. `last`: short values, such as statuses and amounts. */
  cut?: "never" | "last" | undefined;
  cells: readonly string[];
}

type Measure = (text: string) => number;
interface Measured extends TableColumn {
  natural: number;
  header: number;
  /** The longest line of its cells. */
  content: number;
  /** The longest word, up to a limit: a column that wraps is made narrower only when nothing else can give way. */
  longestWord: number;
}

const gap = 2;
const narrowest = 8;
const roomy = 16;
const unreadable = 5;
const longestKept = 24;

const total = (widths: readonly number[]) => widths.reduce((sum, width) => sum + width + gap, -gap);

/** Column widths that fit. The widest column shrinks first, and none below its width in `least`. */
function shrink(widths: readonly number[], least: readonly number[], columns: number): number[] {
  const fitted = [...widths];
  for (let excess = total(fitted) - columns; excess > 0; excess--) {
    const widest = Math.max(...fitted.filter((width, i) => width > least[i]!));
    const at = fitted.findIndex((width, i) => width === widest && width > least[i]!);
    if (at < 0) break;
    fitted[at]!--;
  }
  return fitted;
}

/** The least width of a column, as the terminal gets narrower: text gives way first, then headers, then short values; ids never. */
const leastWidths: readonly ((column: Measured) => number)[] = [
  ({ cut, natural, overflow, header, longestWord }) =>
    cut === undefined ? Math.max(header, overflow === "wrap" ? longestWord : narrowest) : natural,
  ({ cut, content }) => (cut === "never" ? content : cut === "last" ? Math.min(content, longestKept) : narrowest),
  ({ cut, content }) => (cut === "never" ? content : cut === "last" ? Math.min(content, longestKept) : unreadable),
  ({ cut, content }) => (cut === "never" ? content : narrowest),
  ({ cut, content }) => (cut === "never" ? content : 1),
];

const fitWidths = (measured: readonly Measured[], columns: number): number[] =>
  leastWidths.reduce(
    (widths, least) =>
      shrink(
        widths,
        measured.map((column, i) => Math.min(widths[i]!, least(column))),
        columns,
      ),
    measured.map(({ natural }) => natural),
  );

const isEmpty = ({ content }: Measured) => content === 0;

/** Drops what a narrow terminal does not need: first the columns without a value, then optional columns, the last first. */
function kept(measured: readonly Measured[], columns: number): readonly Measured[] {
  if (total(measured.map(({ natural }) => natural)) <= columns) return measured;
  const filled = measured.filter((column) => !isEmpty(column));
  return withoutOptional(filled.length > 0 ? filled : measured, columns);
}

/** The columns without as many optional ones as it takes for the others to be readable. */
function withoutOptional(measured: readonly Measured[], columns: number): readonly Measured[] {
  const needed = measured.map(({ cut, natural, header, content }) =>
    cut === undefined ? Math.min(natural, Math.max(header, roomy)) : Math.max(content, header),
  );
  const dropped = measured.findLastIndex(({ overflow }) => overflow === "drop");
  if (total(needed) <= columns || dropped < 0) return withoutUnreadable(measured, columns);
  return withoutOptional(measured.toSpliced(dropped, 1), columns);
}

/** The columns without those that could show no more than a few letters or part of a short value, the last first. Ids stay. */
function withoutUnreadable(measured: readonly Measured[], columns: number): readonly Measured[] {
  const least = measured.map(({ cut, content, natural }) => {
    if (cut === undefined) return Math.min(natural, unreadable);
    return cut === "never" ? content : Math.max(Math.min(content, longestKept), unreadable);
  });
  const dropped = measured.findLastIndex(({ cut }) => cut !== "never");
  if (total(least) <= columns || dropped < 0) return measured;
  return withoutUnreadable(measured.toSpliced(dropped, 1), columns);
}

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** Where a word that is too long for its column may be broken: behind the separators of paths, addresses and ids. */
const partsOfWord = /[^/._?&=:,-]*[/._?&=:,-]+|[^/._?&=:,-]+/g;

function breakWord(word: string, width: number, measure: Measure): string[] {
  if (measure(word.trimEnd()) <= width) return [word];
  const parts = word.match(partsOfWord) ?? [];
  return parts.flatMap((part) => (measure(part) <= width ? [part] : [...graphemes.segment(part)].map(({ segment }) => segment)));
}

/** Wraps text to `width` columns, breaking between words. A word that is too long is broken after a separator if it has one. */
export function wrapped(text: string, width: number, measure: Measure): string[] {
  const folded: string[] = [];
  let line = "";
  const parts = text.split(/(?<=\s)(?=\S)/).flatMap((word) => breakWord(word, width, measure));
  for (const part of parts) {
    const full = line !== "" && measure(line + part.trimEnd()) > width;
    if (full) folded.push(line.trimEnd());
    line = full ? part : line + part;
  }
  return [...folded, line.trimEnd()];
}

/** Text whose lines fit into `width` columns on a terminal, where a character may take two. */
export async function broken(text: string, width: number): Promise<string> {
  const { default: utils } = await import("cli-table3/src/utils.js");
  const lines = text.split("\n").flatMap((line) => (utils.strlen(line) > width ? wrapped(line, width, utils.strlen) : [line]));
  return lines.join("\n");
}

const outerBorders = ["top", "top-mid", "top-left", "top-right", "bottom", "bottom-mid", "bottom-left", "bottom-right"];
const allBorders = [...outerBorders, "left", "left-mid", "mid", "mid-mid", "right", "right-mid"];
const chars = { ...Object.fromEntries(allBorders.map((name) => [name, ""])), middle: " ".repeat(gap) };

/** An aligned table without borders that fits the terminal's width. */
export async function table(all: readonly TableColumn[], columns: number): Promise<string> {
  const [{ default: Table }, { default: utils }] = await Promise.all([import("cli-table3"), import("cli-table3/src/utils.js")]);
  const measure: Measure = (text) => utils.strlen(text);
  const measured = all.map((column) => {
    const header = measure(column.head);
    const content = Math.max(0, ...column.cells.flatMap((cell) => cell.split("\n").map(measure)));
    const natural = Math.max(1, header, content);
    const words = column.cells.flatMap((cell) => cell.split(/\s+/).map(measure));
    return { ...column, header, content, natural, longestWord: Math.min(longestKept, Math.max(narrowest, ...words)) };
  });
  const shown = kept(measured, columns);
  const colWidths = fitWidths(shown, columns);
  const cell = ({ overflow, cells }: TableColumn, row: number, width: number) => {
    const text = cells[row] ?? "";
    return overflow === "wrap"
      ? text
          .split("\n")
          .flatMap((line) => wrapped(line, width, measure))
          .join("\n")
      : text;
  };
  const drawn = new Table({ chars, style: { "padding-left": 0, "padding-right": 0, head: [], border: [] }, colWidths });
  const rows = all[0]?.cells.map((_, row) => shown.map((column, i) => cell(column, row, colWidths[i]!))) ?? [];
  drawn.push(
    shown.map(({ head }) => head),
    ...rows,
  );
  const lines = drawn.toString().split("\n");
  return `${lines.map((line) => line.trimEnd()).join("\n")}\n`;
}
