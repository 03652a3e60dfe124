const gap = 2;
const narrowest = 8;

/** Widths that fit: the widest column gives way first, none below 8 characters. */
export function fitWidths(natural: readonly number[], columns: number): number[] {
  const widths = [...natural];
  let excess = widths.reduce((sum, width) => sum + width + gap, -gap) - columns;
  while (excess > 0) {
    const widest = Math.max(...widths);
    if (widest <= narrowest) break;
    widths[widths.indexOf(widest)]!--;
    excess--;
  }
  return widths;
}

const bare = ["top", "top-mid", "top-left", "top-right", "bottom", "bottom-mid", "bottom-left", "bottom-right"];
const barer = [...bare, "left", "left-mid", "mid", "mid-mid", "right", "right-mid"];
const chars = { ...Object.fromEntries(barer.map((name) => [name, ""])), middle: " ".repeat(gap) };

/** An aligned table without borders, cut to the terminal's width. */
export async function table(rows: readonly (readonly string[])[], columns: number): Promise<string> {
  const [{ default: Table }, { default: utils }] = await Promise.all([import("cli-table3"), import("cli-table3/src/utils.js")]);
  const count = rows[0]?.length ?? 0;
  const natural = Array.from({ length: count }, (_, i) => Math.max(1, ...rows.map((row) => utils.strlen(row[i] ?? ""))));
  const options = {
    chars,
    style: { "padding-left": 0, "padding-right": 0, head: [], border: [] },
    colWidths: fitWidths(natural, columns),
  };
  const drawn = new Table(options);
  drawn.push(...rows.map((row) => [...row]));
  return `${drawn
    .toString()
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n")}\n`;
}
