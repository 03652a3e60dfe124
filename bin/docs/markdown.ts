/** Markdown as text. */

export const code = (text: string) => `\`${text}\``;

const row = (cells: readonly (string | number)[]) =>
  `| ${cells.map((cell) => String(cell).replaceAll("|", "\\|")).join(" | ")} |`;

export const table = (head: readonly string[], rows: readonly (readonly (string | number)[])[]) =>
  [row(head), `|${head.map(() => "---").join("|")}|`, ...rows.map(row)].join("\n");
