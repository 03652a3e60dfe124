import { pages } from "../../../src/contract/pages/addresses.ts";
import { type Block, type Inline, plain } from "../../../src/help/document.ts";
import { isTopic } from "../../../src/help/list.ts";
import { html, type Markup } from "../html.ts";

/** Renders a help topic as HTML. All text goes through `html`, which escapes it. */

/** The URL fragment of a heading: lower case, words joined by dashes. */
export const anchorOf = (title: string) =>
  title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");

/** The URL of a link in a topic. Topics link to each other by file name. */
function addressOf(href: string): string {
  const topic = /^([\w-]+)\.md$/.exec(href)?.[1];
  return topic !== undefined && isTopic(topic) ? pages.topic(topic) : href;
}

/** How a link of a text is written. */
type LinkMarkup = (href: string, label: Markup[]) => Markup;

const topicLink: LinkMarkup = (href, label) => html`<a href="${addressOf(href)}">${label}</a>`;

function partMarkup(part: Inline, link: LinkMarkup): Markup {
  switch (part.kind) {
    case "text":
      return html`${part.text}`;
    case "code":
      return html`<code>${part.text}</code>`;
    case "strong":
      return html`<strong>${inline(part.parts, link)}</strong>`;
    case "em":
      return html`<em>${inline(part.parts, link)}</em>`;
    case "link":
      return link(part.href, inline(part.parts, link));
  }
}

const inline = (parts: readonly Inline[], link: LinkMarkup): Markup[] => parts.map((part) => partMarkup(part, link));

const items = (list: readonly Inline[][], link: LinkMarkup) => list.map((parts) => html`<li>${inline(parts, link)}</li>`);

/** A table in an element that scrolls horizontally on narrow screens. `tabindex` makes it scroll from the keyboard too. */
export const table = (head: readonly (Markup | string)[], rows: readonly (readonly (Markup | string | Markup[])[])[]) =>
  html`<div class="scroll" tabindex="0" role="group" aria-label="Table"><table><thead><tr>${head.map((cell) => html`<th scope="col">${cell}</th>`)}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${row.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody></table></div>`;

type TableBlock = Extract<Block, { kind: "table" }>;

const isOfSettings = ({ head }: TableBlock) => plain(head[0]!) === "Setting";

/** A table of settings has more columns than a page has room for: a block for each, with its meaning, then the other columns. */
function settings({ head, rows }: TableBlock, link: LinkMarkup): Markup {
  const block = (row: readonly Inline[][]) => {
    const others = head.flatMap((name, index) => {
      const cell = row[index]!;
      const isShown = index > 0 && index < head.length - 1 && plain(cell) !== "";
      return isShown ? [html`<li>${inline(name, link)}: ${inline(cell, link)}</li>`] : [];
    });
    return html`<div><dt>${inline(row[0]!, link)}</dt><dd>${inline(row.at(-1)!, link)}<ul>${others}</ul></dd></div>`;
  };
  return html`<dl class="settings">${rows.map(block)}</dl>`;
}

export function blockMarkup(block: Block, link: LinkMarkup = topicLink): Markup {
  switch (block.kind) {
    case "heading": {
      const title = plain(block.parts);
      return html`<h2 id="${anchorOf(title)}">${title}</h2>`;
    }
    case "paragraph":
      return html`<p>${inline(block.parts, link)}</p>`;
    case "list":
      return block.ordered ? html`<ol>${items(block.items, link)}</ol>` : html`<ul>${items(block.items, link)}</ul>`;
    case "code":
      return html`<pre tabindex="0"><code>${block.text}</code></pre>`;
    case "table":
      if (isOfSettings(block)) return settings(block, link);
      return table(
        block.head.map((cell) => html`${inline(cell, link)}`),
        block.rows.map((row) => row.map((cell) => inline(cell, link))),
      );
  }
}
