import { pages } from "../../../src/contract/pages/addresses.ts";
import { plural } from "../../../src/contract/text/plural.ts";
import { type Block, plain } from "../../../src/help/document.ts";
import { html, type Markup } from "../html.ts";
import type { DocsPage } from "./layout.ts";
import { anchorOf } from "./markup.ts";

/** A topic as this server shows it. */
export interface Searched {
  title: string;
  href: string;
  blocks: readonly Block[];
}

/** The part of a topic from one heading to the next. */
interface Section {
  topic: string;
  title: string;
  href: string;
  text: string;
}

const longestQuery = 100;
const mostResults = 50;
/** Characters of a section that are shown before and after a word that was found. */
const around = 80;

function textOf(block: Block): string {
  switch (block.kind) {
    case "heading":
    case "paragraph":
      return plain(block.parts);
    case "list":
      return block.items.map(plain).join(" ");
    case "code":
      return block.text;
    case "table":
      return [block.head, ...block.rows].flat().map(plain).join(" ");
  }
}

function sectionsOf({ title, href, blocks }: Searched): Section[] {
  const sections: Section[] = [{ topic: title, title, href, text: "" }];
  for (const block of blocks) {
    if (block.kind === "heading") {
      const heading = plain(block.parts);
      sections.push({ topic: title, title: heading, href: `${href}#${anchorOf(heading)}`, text: "" });
    } else sections.at(-1)!.text += ` ${textOf(block)}`;
  }
  return sections;
}

/** The sections that contain every word, those with all of them in their title first. */
function found(topics: readonly Searched[], words: readonly string[]): Section[] {
  const hasAll = (text: string) => words.every((word) => text.toLowerCase().includes(word));
  const matching = topics.flatMap(sectionsOf).filter(({ topic, title, text }) => hasAll(`${topic} ${title} ${text}`));
  const inTitle = matching.filter(({ title }) => hasAll(title));
  const inText = matching.filter(
    ({ title, text }) => !hasAll(title) && words.some((word) => `${title} ${text}`.toLowerCase().includes(word)),
  );
  return [...inTitle, ...inText];
}

function excerpt({ text }: Section, words: readonly string[]): string {
  const plainText = text.replace(/\s+/g, " ").trim();
  const at = Math.max(0, ...words.map((word) => plainText.toLowerCase().indexOf(word)));
  const [from, to] = [Math.max(0, at - around), at + 2 * around];
  return `${from > 0 ? "…" : ""}${plainText.slice(from, to)}${to < plainText.length ? "…" : ""}`;
}

const result = (section: Section, words: readonly string[]): Markup =>
  html`<li><a href="${section.href}">${section.topic === section.title ? section.title : `${section.topic}: ${section.title}`}</a><span>${excerpt(section, words)}</span></li>`;

/** `/docs/search?q=`: the sections of the topics that contain all words. */
export function searchPage(topics: readonly Searched[], given: string): DocsPage {
  const query = given.trim().slice(0, longestQuery);
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  const page = { title: "Search the documentation", href: pages.docsSearch(), query };
  if (words.length === 0) return { ...page, body: html`<p>Enter what you are looking for in the search box above.</p>` };
  const all = found(topics, words);
  if (all.length === 0)
    return {
      ...page,
      body: html`<p>No section of the documentation contains “${query}”. Try fewer or other words, or see <a href="${pages.docs()}">all topics</a>.</p>`,
    };
  const shown = all.slice(0, mostResults);
  return {
    ...page,
    body: html`<p>${plural(all.length, "section")} with “${query}”${all.length > mostResults && `; the first ${mostResults}`}:</p>
<ul class="contents">${shown.map((section) => result(section, words))}</ul>`,
  };
}
