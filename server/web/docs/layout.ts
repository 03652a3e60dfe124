import { pages } from "../../../src/contract/pages/addresses.ts";
import { chapters } from "../../../src/help/list.ts";
import { html, type Markup, type PageContent } from "../html.ts";

export interface Entry {
  href: string;
  title: string;
}

export interface DocsPage {
  title: string;
  body: Markup;
  /** URL of the page, to highlight it in the table of contents. */
  href: string;
  /** What was searched for, on the page of the search. */
  query?: string;
  /** Sections of the page, listed below its entry. */
  parts?: readonly Entry[];
}

const entry = ({ href, title }: Entry, page: DocsPage) => {
  const current = href === page.href;
  const parts = current ? (page.parts ?? []) : [];
  return html`<li><a href="${href}"${current && html` aria-current="page"`}>${title}</a>${
    parts.length > 0 && html`<ul>${parts.map((part) => html`<li><a href="${part.href}">${part.title}</a></li>`)}</ul>`
  }</li>`;
};

const list = (title: string, entries: readonly Entry[], page: DocsPage) => html`<h2>${title}</h2>
<ul>${entries.map((one) => entry(one, page))}</ul>`;

/** The table of contents: of the topics, or, on a page of the API reference, of the reference. */
function contents(page: DocsPage, titles: Readonly<Record<string, string>>, reference: readonly Entry[]): Markup {
  if (page.href.startsWith(pages.reference())) return list("API reference", reference, page);
  const entriesOf = ({ topics }: (typeof chapters)[number]) =>
    topics.map(([name]) => ({ href: pages.topic(name), title: titles[name] ?? name }));
  return html`${chapters.map((chapter) => list(chapter.title, entriesOf(chapter), page))}`;
}

const searchForm = ({ query }: DocsPage): Markup =>
  html`<form class="find" method="get" action="${pages.docsSearch()}" role="search"><input name="q" type="search" maxlength="100" required placeholder="Search" aria-label="Search the documentation" value="${query}"><button class="quiet">Search</button></form>`;

/** The layout of every documentation page: a bar at the top, and the table of contents beside the text if the screen is wide enough. */
export const docsPage = (page: DocsPage, titles: Readonly<Record<string, string>>, reference: readonly Entry[]): PageContent => ({
  title: page.title,
  body: page.body,
  assets: { style: "docs.css" },
  header: html`<a class="skip" href="#main">Skip to content</a>
<header><a class="brand" href="${pages.docs()}">playtest docs</a><a href="${pages.docs()}">All topics</a><a href="${pages.reference()}">API</a>${searchForm(page)}</header>
<nav aria-label="Documentation">${contents(page, titles, reference)}</nav>`,
});
