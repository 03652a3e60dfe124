import { pages } from "../../../src/contract/pages/addresses.ts";
import type { Block, Inline } from "../../../src/help/document.ts";
import { isTopic } from "../../../src/help/list.ts";

/** Renders a help topic as Markdown, for programs that read: its links lead to pages in Markdown, wherever it is read. */

/** Characters that would begin a mark inside a text. */
const marks = /[\\`*_[\]<|]/g;

function addressOf(href: string, baseUrl: string): string {
  const topic = /^([\w-]+)\.md$/.exec(href)?.[1];
  return topic !== undefined && isTopic(topic) ? `${baseUrl}${pages.topic(topic)}.md` : href;
}

/** A code span needs more backticks around it than it has inside. */
function codeSpan(text: string): string {
  const fence = "`".repeat(Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length)) + 1);
  const space = text.startsWith("`") || text.endsWith("`") ? " " : "";
  return `${fence}${space}${text}${space}${fence}`;
}

const inline = (parts: readonly Inline[], baseUrl: string): string => parts.map((part) => one(part, baseUrl)).join("");

function one(part: Inline, baseUrl: string): string {
  switch (part.kind) {
    case "text":
      return part.text.replace(marks, "\\$&");
    case "code":
      return codeSpan(part.text);
    case "strong":
      return `**${inline(part.parts, baseUrl)}**`;
    case "em":
      return `*${inline(part.parts, baseUrl)}*`;
    case "link":
      return `[${inline(part.parts, baseUrl)}](${addressOf(part.href, baseUrl)})`;
  }
}

/** A bar ends a cell, also inside of code. */
const row = (cells: readonly Inline[][], baseUrl: string) =>
  `| ${cells.map((cell) => inline(cell, baseUrl).replace(/(?<!\\)\|/g, "\\|")).join(" | ")} |`;

function blockText(block: Block, baseUrl: string): string {
  switch (block.kind) {
    case "heading":
      return `## ${inline(block.parts, baseUrl)}`;
    case "paragraph":
      return inline(block.parts, baseUrl);
    case "list":
      return block.items.map((item, at) => `${block.ordered ? `${at + 1}.` : "-"} ${inline(item, baseUrl)}`).join("\n");
    case "code":
      return `\`\`\`\n${block.text}\n\`\`\``;
    case "table":
      return [
        row(block.head, baseUrl),
        `|${" --- |".repeat(block.head.length)}`,
        ...block.rows.map((cells) => row(cells, baseUrl)),
      ].join("\n");
  }
}

export const markdownOf = (title: string, blocks: readonly Block[], baseUrl: string): string =>
  `${[`# ${title}`, ...blocks.map((block) => blockText(block, baseUrl))].join("\n\n")}\n`;
