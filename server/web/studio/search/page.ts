import type { Data } from "../../../../src/contract/index.ts";
import { studio } from "../../../../src/contract/pages/addresses.ts";
import type { SearchSource } from "../../../../src/contract/search/sources.ts";
import { positionInLink, positionText } from "../../../../src/contract/text/position.ts";
import { ApiError } from "../../../lib/api-error.ts";
import { html, type Markup, type PageContent } from "../../html.ts";
import { alert, cursorOf } from "../../shared/parts.ts";
import { studioLayout } from "../layout.ts";
import type { StudioContext, StudioPage } from "../types.ts";

type Results = Data<"search">["results"];
type Result = Results[number];

const sources: Record<SearchSource, string> = {
  transcript: "Transcript",
  takeaway: "Key takeaway",
  notes: "Notes of the playtester",
  moment: "Your note",
  finding: "Finding",
  game: "Game",
  playtest: "Playtest, by its ref",
  playtester: "Playtester",
};

/** `/studio/search?q=`: what was said and written about the owner's games. */
async function searchPage(context: StudioContext): Promise<PageContent> {
  if (!(await context.offers("search"))) {
    const body = html`<p>The server that you are signed in to has no search.</p>`;
    return studioLayout(context, "search", { title: "Search", body });
  }
  const asked = (context.query.get("q") ?? "").trim();
  const answer = asked === "" ? howToSearch : await answerTo(context, asked);
  const body = html`<form method="get" action="${studio.search()}" role="search" class="filter"><label for="search">Words or a “phrase”</label>
<input id="search" name="q" type="search" maxlength="200" required value="${asked}"> <button>Search</button></form>
${answer}`;
  return studioLayout(context, "search", { title: asked === "" ? "Search" : `Search: ${asked}`, heading: "Search", body });
}

export const search: StudioPage = { at: studio.search, view: searchPage };

const howToSearch = html`<p>Searches the transcripts and key takeaways of your videos, the notes of playtesters, your own notes and findings, and the names of games, playtests and playtesters. All words must stand near each other; each also finds its other forms, words that begin with it, and where there are none, words with one letter different. Words in quotation marks must follow each other as they are.</p>`;

async function answerTo(context: StudioContext, asked: string): Promise<Markup> {
  const cursor = cursorOf(context);
  try {
    const { data, meta } = await context.call("search", { query: { q: asked, ...(cursor !== undefined && { cursor }) } });
    return list(asked, data.results, meta.cursor);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "VALIDATION_ERROR") throw error;
    const [fault] = error.details ?? [];
    return alert(fault?.field === "q" ? `The text ${fault.message}.` : error.message);
  }
}

function list(asked: string, results: Results, cursor: string | null | undefined): Markup {
  if (results.length === 0) return html`<p role="status">Nothing was found for “${asked}”.</p>${howToSearch}`;
  const next = `${studio.search()}?${new URLSearchParams({ q: asked, cursor: cursor ?? "" })}`;
  return html`<ol class="list">${results.map(item)}</ol>${typeof cursor === "string" && html`<p class="more"><a href="${next}">Show more</a></p>`}`;
}

/** The page of what was found. */
function pageOf({ source, slotId, playtestId, findingId, game }: Result): string | undefined {
  if (source === "game") return studio.game(game.id);
  if (source === "playtest" && playtestId !== null) return studio.playtest(playtestId);
  if (slotId !== null) return studio.slot(slotId);
  return findingId == null ? undefined : studio.finding(findingId);
}

function item(found: Result): Markup {
  const { source, atMs, game, playtester, lines } = found;
  const place = atMs === null ? "" : `#t=${positionInLink(atMs)}`;
  const who = playtester && html`, ${playtester.displayName}`;
  const name = html`${atMs !== null && html`${positionText(atMs)} `}${game.name}${who}`;
  const page = pageOf(found);
  return html`<li class="card"><h2>${page ? html`<a href="${page}${place}">${name}</a>` : name}</h2>
<p class="soft">${sources[source]}</p>
<blockquote>${lines.map(({ text, matches }) => html`<p>${highlighted(text, matches)}</p>`)}</blockquote></li>`;
}

/** The text with its matching parts marked. */
function highlighted(text: string, matches: Result["lines"][number]["matches"]): Markup[] {
  const parts = matches.map(({ start, end }, index) => {
    const before = text.slice(matches[index - 1]?.end ?? 0, start);
    return html`${before}<mark>${text.slice(start, end)}</mark>`;
  });
  return [...parts, html`${text.slice(matches.at(-1)?.end ?? 0)}`];
}
