import { type Block, plain } from "../../../src/help/document.ts";
import { html, type Markup } from "../html.ts";
import { outsideLink } from "../shared/parts.ts";
import { blockMarkup } from "./markup.ts";

/** Headings get no id here: it could be one of the page's own. */
const shown = (block: Block) =>
  block.kind === "heading" ? html`<h3>${plain(block.parts)}</h3>` : blockMarkup(block, outsideLink);

/** Renders Markdown by somebody else, such as an agreement, without losing a word of it. The parser is loaded when it is first needed. */
export async function givenText(text: string): Promise<Markup> {
  const { readableMarkdown } = await import("../../../src/help/markdown.ts");
  return html`<div class="card given">${readableMarkdown(text).map(shown)}</div>`;
}
