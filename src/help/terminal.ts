import type { Paint } from "../io/text.ts";
import { type Block, type Document, type Inline, plain } from "./document.ts";
import { isTopic } from "./list.ts";

/** A topic as text for a terminal or a pipe: folded at a width, headings at the margin and the rest indented, as in a man page. */

const indent = "  ";
/** What `paint` adds takes no room. */
const escapes = new RegExp(`${String.fromCharCode(27)}\\[\\d+m`, "g");
const widthOf = (text: string) => [...text.replace(escapes, "")].length;
const pad = (text: string, width: number) => text + " ".repeat(Math.max(0, width - widthOf(text)));

/** Words into lines of at most `width` columns; a longer word stays whole. */
function fold(text: string, width: number): string[] {
  const folded: string[] = [];
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const last = folded.at(-1);
    if (last !== undefined && widthOf(last) + 1 + widthOf(word) <= width) folded[folded.length - 1] = `${last} ${word}`;
    else folded.push(word);
  }
  return folded.length > 0 ? folded : [""];
}

const isPlain = (paint: Paint) => paint("bold", "x") === "x";

/** Each word by itself, so that a line can be broken between any two. */
const paintWords = (paint: Paint, name: Parameters<Paint>[0], text: string) => text.replace(/\S+/g, (word) => paint(name, word));

function linkText(href: string, text: string): string {
  const topic = /^([\w-]+)\.md(#.*)?$/.exec(href)?.[1];
  if (topic !== undefined && isTopic(topic)) return `${text} (playtest help ${topic})`;
  return href === text || href.startsWith("#") ? text : `${text} (${href})`;
}

function partText(part: Inline, paint: Paint): string {
  switch (part.kind) {
    case "text":
      return part.text;
    case "code":
      // Without color, backticks tell code from other text.
      return isPlain(paint) ? `\`${part.text}\`` : paintWords(paint, "cyan", part.text);
    case "link":
      return linkText(part.href, inlineText(part.parts, paint));
    case "strong":
      return paintWords(paint, "bold", plain(part.parts));
    case "em":
      return inlineText(part.parts, paint);
  }
}

const inlineText = (parts: readonly Inline[], paint: Paint): string => parts.map((part) => partText(part, paint)).join("");

/** Many columns folded into a narrow page are harder to read than their cells one below another. */
const mostFolded = 3;

/** Column widths that fit into `room`: each at least its longest word, the rest of the room by need. Undefined: none fit. */
function columnWidths(rows: readonly string[][], room: number): number[] | undefined {
  const column = (i: number) => rows.map((row) => row[i] ?? "");
  const count = rows[0]?.length ?? 0;
  const natural = Array.from({ length: count }, (_, i) => Math.max(...column(i).map(widthOf)));
  const least = Array.from({ length: count }, (_, i) => Math.max(...column(i).flatMap((text) => text.split(/\s+/).map(widthOf))));
  const sum = (widths: readonly number[]) => widths.reduce((total, width) => total + width, 0);
  if (sum(least) > room || (count > mostFolded && sum(natural) > room)) return undefined;
  const widths = [...natural];
  // The widest column gives way first.
  while (sum(widths) > room) {
    const shrinkable = widths.map((width, i) => (width > least[i]! ? width : 0));
    widths[shrinkable.indexOf(Math.max(...shrinkable))]!--;
  }
  return widths;
}

const gap = 2;

function alignedRow(row: readonly string[], widths: readonly number[]): string[] {
  const cells = row.map((text, i) => fold(text, widths[i]!));
  const height = Math.max(...cells.map(({ length }) => length));
  return Array.from({ length: height }, (_, line) =>
    cells
      .map((lines, i) => pad(lines[line] ?? "", widths[i]! + gap))
      .join("")
      .trimEnd(),
  );
}

/** The cells of a row below one another, for a table that is too wide for the page. */
const stackedRow = ([first = "", ...rest]: readonly string[], head: readonly string[], width: number): string[] => [
  first,
  ...rest.flatMap((text, i) => (text === "" ? [] : fold(`${head[i + 1]}: ${text}`, width - 4).map((line) => `    ${line}`))),
];

function tableLines({ head, rows }: Extract<Block, { kind: "table" }>, width: number, paint: Paint): string[] {
  const bold = head.map((parts) => paintWords(paint, "bold", plain(parts).toUpperCase()));
  const texts = rows.map((row) => row.map((parts) => inlineText(parts, paint)));
  const widths = columnWidths([bold, ...texts], width - gap * (head.length - 1));
  if (!widths) return texts.flatMap((row) => stackedRow(row, head.map(plain), width));
  return [bold, ...texts].flatMap((row) => alignedRow(row, widths));
}

function listLines({ ordered, items }: Extract<Block, { kind: "list" }>, width: number, paint: Paint): string[] {
  return items.flatMap((parts, i) => {
    const mark = ordered ? `${i + 1}. ` : "- ";
    const lines = fold(inlineText(parts, paint), width - mark.length);
    return lines.map((line, at) => (at === 0 ? mark : " ".repeat(mark.length)) + line);
  });
}

function blockLines(block: Block, width: number, paint: Paint): string[] {
  if (block.kind === "heading") return [paint("bold", plain(block.parts))];
  const inner = width - indent.length;
  const lines = () => {
    switch (block.kind) {
      case "paragraph":
        return fold(inlineText(block.parts, paint), inner);
      case "list":
        return listLines(block, inner, paint);
      case "table":
        return tableLines(block, inner, paint);
      case "code":
        return block.text.split("\n").map((line) => paint("green", line === "" ? "" : `${indent}${line}`));
    }
  };
  return lines().map((line) => (line === "" ? "" : indent + line));
}

export function terminalText({ title, blocks }: Document, width: number, paint: Paint): string {
  const parts = [paint("bold", title.toUpperCase()), ...blocks.map((block) => blockLines(block, width, paint).join("\n"))];
  return parts.join("\n\n");
}
