import { marked, type Token, type Tokens } from "marked";
import { isWebAddress } from "../contract/text/web-address.ts";
import { type Block, type Document, type Inline, plain } from "./document.ts";
import { stateDiagram } from "./state-diagram.ts";

/** Reads Markdown. Whatever a document cannot hold, raw HTML above all, is an error. */

/** The comments around text that `npm run docs` writes. */
const generatedComment = /^<!-- (generated: [\w .-]+|end) -->\s*$/;

/** The comments around what is so only on servers that take payments. */
const paymentsComment = /^<!-- (end )?payments -->\s*$/;

const refuse = (token: Token): never => {
  throw new Error(`This Markdown is not supported: ${token.type} ${JSON.stringify(token.raw)}`);
};

function inline(token: Token): Inline {
  const { tokens = [], text } = token as Tokens.Generic;
  switch (token.type) {
    case "text":
      // Inside a list item, a text has its parts below it.
      return tokens.length > 0 ? refuse(token) : { kind: "text", text: (text as string).replaceAll("\n", " ") };
    case "escape":
      return { kind: "text", text };
    case "codespan":
      return { kind: "code", text };
    case "strong":
    case "em":
      return { kind: token.type, parts: tokens.map(inline) };
    case "link":
      return { kind: "link", href: (token as Tokens.Link).href, parts: tokens.map(inline) };
    default:
      return refuse(token);
  }
}

function listItem({ tokens, task }: Tokens.ListItem): Inline[] {
  const [only, ...more] = tokens;
  if (!only || task || more.length > 0 || (only.type !== "text" && only.type !== "paragraph")) throw refuse(only ?? tokens[0]!);
  return ((only as Tokens.Text).tokens ?? []).map(inline);
}

const cell = ({ tokens }: Tokens.TableCell) => tokens.map(inline);

function block(token: Token): Block[] {
  switch (token.type) {
    case "space":
      return [];
    case "html":
      return generatedComment.test(token.raw) ? [] : refuse(token);
    case "heading":
      return token.depth === 2 ? [{ kind: "heading", parts: (token.tokens ?? []).map(inline) }] : refuse(token);
    case "paragraph":
      return [{ kind: "paragraph", parts: (token.tokens ?? []).map(inline) }];
    case "list": {
      const { ordered, items } = token as Tokens.List;
      return [{ kind: "list", ordered, items: items.map(listItem) }];
    }
    case "code":
      return [token.lang === "mermaid" ? stateDiagram(token.text) : { kind: "code", text: token.text }];
    case "table": {
      const { header, rows } = token as Tokens.Table;
      return [{ kind: "table", head: header.map(cell), rows: rows.map((row) => row.map(cell)) }];
    }
    default:
      return refuse(token);
  }
}

/** As `inline`, of a text by somebody else: what a document cannot hold stays as it was written, and so do its line breaks. */
function looseInline(token: Token): Inline {
  const { tokens = [], text, raw } = token as Tokens.Generic;
  switch (token.type) {
    case "text":
    case "escape":
    case "codespan":
      return { kind: token.type === "codespan" ? "code" : "text", text: text as string };
    case "br":
      return { kind: "text", text: "\n" };
    case "strong":
    case "em":
      return { kind: token.type, parts: tokens.map(looseInline) };
    case "link": {
      const { href } = token as Tokens.Link;
      return isWebAddress(href) ? { kind: "link", href, parts: tokens.map(looseInline) } : { kind: "text", text: raw };
    }
    default:
      return { kind: "text", text: raw };
  }
}

const written = ({ raw }: Token): Block => ({ kind: "paragraph", parts: [{ kind: "text", text: raw.trimEnd() }] });

/** The parts of an item of a list. What is below it, such as another list, stays as it was written. */
const looseItem = ({ tokens }: Tokens.ListItem): Inline[] =>
  tokens.flatMap((token): Inline[] =>
    token.type === "text" || token.type === "paragraph"
      ? ((token as Tokens.Text).tokens ?? [token]).map(looseInline)
      : [{ kind: "text", text: `\n${token.raw.trimEnd()}` }],
  );

function looseBlock(token: Token): Block[] {
  switch (token.type) {
    case "space":
      return [];
    case "heading":
    case "paragraph":
      return [{ kind: token.type, parts: (token.tokens ?? []).map(looseInline) }];
    case "list": {
      const { ordered, start, items } = token as Tokens.List;
      // A numbered list of a document begins at 1.
      if (items.some(({ task }) => task) || (ordered && start !== 1)) return [written(token)];
      return [{ kind: "list", ordered, items: items.map(looseItem) }];
    }
    default:
      return [written(token)];
  }
}

/** Reads Markdown by somebody else, such as an agreement. No word of it is lost: what a document cannot hold stays as it was written. */
export const readableMarkdown = (text: string): Block[] =>
  deepNesting.test(text) ? [{ kind: "paragraph", parts: [{ kind: "text", text }] }] : marked.lexer(text).flatMap(looseBlock);

/** Quotations and lists in one another, for each of which the parser reads the rest of the text again. */
const deepNesting = /^[ \t]*(?:(?:>|[-+*]|\d{1,9}[.)])[ \t]*){9}/m;

/** Reads a text that begins with its title; throws on what is not supported. */
export function parseMarkdown(text: string): Document {
  const [first, ...rest] = marked.lexer(text);
  if (first?.type !== "heading" || first.depth !== 1) throw new Error("A topic begins with its title.");
  let aboutPayments = false;
  const blocks: Block[] = [];
  for (const token of rest) {
    const mark = token.type === "html" ? paymentsComment.exec(token.raw) : null;
    if (mark) aboutPayments = mark[1] === undefined;
    else blocks.push(...block(token).map((one) => ({ ...one, ...(aboutPayments && { aboutPayments }) })));
  }
  return { title: plain((first.tokens ?? []).map(inline)), blocks };
}
