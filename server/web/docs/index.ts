import type { IncomingMessage, ServerResponse } from "node:http";
import { contract } from "../../../src/contract/index.ts";
import { pages } from "../../../src/contract/pages/addresses.ts";
import { plain } from "../../../src/help/document.ts";
import { chapters, isTopic, type TopicName, topicList } from "../../../src/help/list.ts";
import { topics } from "../../../src/help/topics.ts";
import type { Config } from "../../config/schema.ts";
import { ApiError, notFound } from "../../lib/api-error.ts";
import { html, type Markup, sendPage } from "../html.ts";
import type { Site } from "../site.ts";
import type { Page } from "../types.ts";
import { type DocsPage, docsPage } from "./layout.ts";
import { markdownOf } from "./markdown.ts";
import { anchorOf, blockMarkup } from "./markup.ts";
import { type Reference, referenceOf } from "./openapi.ts";
import { groupEntries, groupPage, groupTitle, objectsPage, overview } from "./reference.ts";
import { searchPage } from "./search.ts";

const titles: Record<string, string> = Object.fromEntries(Object.entries(topics).map(([name, { title }]) => [name, title]));

/** Topics that are about nothing but payments. */
const aboutPayments: readonly string[] = ["billing"];
const topicsOf = (chapter: (typeof chapters)[number], payments: boolean) =>
  chapter.topics.filter(([name]) => payments || !aboutPayments.includes(name));

const contents = (payments: boolean): DocsPage => ({
  title: "Documentation",
  href: pages.docs(),
  body: html`${chapters.map(
    (chapter) => html`<h2>${chapter.title}</h2>
<ul class="contents">${topicsOf(chapter, payments).map(([name, summary]) => html`<li><a href="${pages.topic(name)}">${titles[name]}</a><span>${summary}</span></li>`)}</ul>`,
  )}
<h2>API reference</h2>
<ul class="contents"><li><a href="${pages.reference()}">API reference</a><span>Every endpoint of this server, with its parameters, body, reply and errors</span></li></ul>`,
});

/** Links to the previous and the next topic. */
function neighborLinks(name: TopicName): Markup {
  const at = topicList.findIndex((topic) => topic.name === name);
  const [before, after] = [topicList[at - 1], topicList[at + 1]];
  return html`<div class="turn">${before && html`<a href="${pages.topic(before.name)}">← ${titles[before.name]}</a>`}
${after && html`<a href="${pages.topic(after.name)}">${titles[after.name]} →</a>`}</div>`;
}

/** What every page says first where nothing costs anything. */
const withoutPayments = html`<p class="soft">This server runs without payments: playtests cost and earn nothing here.</p>`;
/** The same, on pages for operators and on the reference, which are about all servers. */
const otherServers = html`<p class="soft">This server runs without payments: playtests cost and earn nothing here. What this page says about prices, credit, invoices and payouts is for servers that take payments.</p>`;

const ofPeople = new Set<string>(chapters.slice(0, 2).flatMap(({ topics: names }) => names.map(([name]) => pages.topic(name))));
const noteFor = ({ href }: DocsPage) => (href === pages.docs() || ofPeople.has(href) ? withoutPayments : otherServers);

/** The blocks of a topic that are so on this server. */
const blocksOf = (name: TopicName, payments: boolean) =>
  topics[name].blocks.filter((block) => payments || !(block.aboutPayments || aboutPayments.includes(name)));

function topicPage(name: TopicName, payments: boolean, after: Markup = neighborLinks(name)): DocsPage {
  const { title } = topics[name];
  const blocks = blocksOf(name, payments);
  const headings = blocks.flatMap((block) => (block.kind === "heading" ? [plain(block.parts)] : []));
  return {
    title,
    href: pages.topic(name),
    body: html`${blocks.map((block) => blockMarkup(block))}${after}`,
    parts: headings.map((heading) => ({ href: `#${anchorOf(heading)}`, title: heading })),
  };
}

function referencePage(reference: Reference, name: string): DocsPage {
  const href = pages.group(name);
  if (name === "objects") return { title: "Objects", href, ...objectsPage(reference) };
  if (!reference.tags.some((tag) => tag.name === name)) throw notFound();
  return { title: groupTitle(name), href, ...groupPage(reference, name) };
}

function requireReading({ method }: IncomingMessage): void {
  if (method === "GET" || method === "HEAD") return;
  throw new ApiError("METHOD_NOT_ALLOWED", "This page takes GET, HEAD.", { headers: { Allow: "GET, HEAD" } });
}

/** The topic that is asked for in Markdown, by `.md` behind its name or by `Accept`. */
function inMarkdown(pathname: string, accept = ""): TopicName | undefined {
  const [, name = "", suffix] = /^\/docs\/([\w-]+?)(\.md)?$/.exec(pathname) ?? [];
  return isTopic(name) && (suffix !== undefined || /\btext\/markdown\b/.test(accept)) ? name : undefined;
}

const textOf = (name: TopicName, baseUrl: string, payments: boolean) =>
  markdownOf(topics[name].title, blocksOf(name, payments), baseUrl);

/** The topics as resources of another protocol, each in Markdown. */
export const helpOf = (baseUrl: string, payments: boolean) => ({
  topics: chapters.flatMap((chapter) =>
    topicsOf(chapter, payments).map(([name, summary]) => ({ name, title: titles[name]!, summary })),
  ),
  read: (name: string) => (isTopic(name) ? textOf(name, baseUrl, payments) : undefined),
});

function sendText(response: ServerResponse, type: string, text: string): void {
  response.writeHead(200, {
    "Content-Type": `${type}; charset=utf-8`,
    "Content-Length": Buffer.byteLength(text),
    Vary: "Accept",
  });
  response.end(text);
}

/** `/llms.txt`: where a program that reads finds the documentation, as https://llmstxt.org describes it. */
export function llms({ baseUrl }: Pick<Config, "baseUrl">, { name, payments }: Pick<Site, "name" | "payments">): Page {
  const line = ([topic, summary]: readonly [TopicName, string]) =>
    `- [${titles[topic]}](${baseUrl}${pages.topic(topic)}.md): ${summary}`;
  const text = `# ${name}

> A marketplace where game owners order playtests on video: the \`playtest\` command and an HTTP API. Order from a program within a budget that the server keeps: see [${titles.budgets}](${baseUrl}${pages.topic("budgets")}.md).

${chapters.map((chapter) => `## ${chapter.title}\n\n${topicsOf(chapter, payments).map(line).join("\n")}`).join("\n\n")}

## API

- [OpenAPI document](${baseUrl}/api/v1/openapi.json): every endpoint with its parameters, body, reply and errors
- [API reference](${baseUrl}${pages.reference()}): the same for people
`;
  return async (request, response, url) => {
    if (url.pathname !== "/llms.txt") throw notFound();
    requireReading(request);
    sendText(response, "text/plain", text);
  };
}

/** `/docs`: the help topics and the API reference. Public. */
export function docs(
  { baseUrl, version, sandbox }: Pick<Config, "baseUrl" | "version" | "sandbox">,
  site: Pick<Site, "payments">,
): Page {
  let known: Reference | undefined;
  const reference = () => (known ??= referenceOf(contract, { baseUrl, version, sandbox }));

  const searched = () =>
    chapters.flatMap((chapter) =>
      topicsOf(chapter, site.payments).map(([name]) => ({
        title: titles[name]!,
        href: pages.topic(name),
        blocks: blocksOf(name, site.payments),
      })),
    );

  function find([name = "", part = "", ...more]: readonly string[]): DocsPage {
    if (name === "" && part === "" && more.length === 0) return contents(site.payments);
    if (name === "api" && more.length === 0 && part !== "") return referencePage(reference(), part);
    if (part !== "" || more.length > 0 || !isTopic(name)) throw notFound();
    return name === "api" ? topicPage(name, site.payments, overview(reference())) : topicPage(name, site.payments);
  }

  return async (request, response, url) => {
    requireReading(request);
    const wanted = inMarkdown(url.pathname, request.headers.accept);
    if (wanted !== undefined) return sendText(response, "text/markdown", textOf(wanted, baseUrl, site.payments));
    const isSearch = url.pathname === pages.docsSearch();
    const found = isSearch ? searchPage(searched(), url.searchParams.get("q") ?? "") : find(url.pathname.split("/").slice(2));
    const page = site.payments ? found : { ...found, body: html`${noteFor(found)}${found.body}` };
    sendPage(response, 200, docsPage(page, titles, groupEntries(reference())));
  };
}
