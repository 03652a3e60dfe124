import type { Data } from "../../../../src/contract/index.ts";
import { studio } from "../../../../src/contract/pages/addresses.ts";
import { html, type Markup, type PageContent } from "../../html.ts";
import { ifOffered } from "../../shared/not-offered.ts";
import { cursorOf, more, notice, prose } from "../../shared/parts.ts";
import { time } from "../../shared/text.ts";
import { studioLayout } from "../layout.ts";
import { commands, playtestBadge, plural, tile, trail } from "../parts.ts";
import type { StudioContext, StudioPage } from "../types.ts";
import { noBuildUrl } from "./form.ts";

const said = new Map([
  ["created", "The game was created."],
  ["saved", "Your changes were saved."],
]);

type Game = Data<"getGame">["game"];
type Playtest = Data<"listPlaytests">["playtests"][number];

/** `/studio/games`: the games of the owner, newest first. */
async function gamesPage(context: StudioContext): Promise<PageContent> {
  const { data, meta } = await context.call("listGames", { query: { cursor: cursorOf(context) } });
  const none = html`<p class="calm">No games yet.</p>`;
  const list = html`<ul class="tiles">${data.games.map(gameCard)}</ul>${more(studio.games(), meta.cursor)}`;
  const body = html`<p><a class="button" href="${studio.newGame()}">New game</a></p>
${data.games.length > 0 ? list : none}
${commands(context, "From the command line", [["Create a game, then upload a build", "playtest games create --name NAME --build-url URL"]])}`;
  return studioLayout(context, "games", { title: "Games", body });
}

const gameCard = ({ id, name, status, description, updatedAt }: Game): Markup =>
  html`<li class="card"><a class="cover-link" href="${studio.game(id)}">${tile(name)}<span>${name}</span></a>
${description && html`<p class="soft clip">${description}</p>`}<p class="soft">${status === "suspended" ? html`<span class="bad">Suspended</span>` : html`Changed ${time(updatedAt)}`}</p></li>`;

/** `/studio/games/ID`: a game with its playtests, newest first. */
async function gamePage(context: StudioContext): Promise<PageContent> {
  const { call, id } = context;
  const [{ game }, { data, meta }, builds] = await Promise.all([
    call("getGame", { params: { id } }).then((reply) => reply.data),
    call("listPlaytests", { params: { gameId: id }, query: { cursor: cursorOf(context) } }),
    ifOffered(call("listBuilds", { params: { id }, query: { limit: 1 } })),
  ]);
  const build = builds?.data.builds[0];
  const done = said.get(context.query.get("done") ?? "");
  const hasNone = game.buildUrl === noBuildUrl(context);
  const isSuspended = game.status === "suspended";
  const body = html`${trail()}${done && notice(done)}
${hasNone && html`<p class="note bad">This game has no build yet, so nobody can play it. <a href="${studio.builds(id)}">Upload one</a>.</p>`}
${game.description && prose(game.description)}
<ul class="facts">${build && !hasNone && html`<li>Latest build: ${build.version ?? build.filename ?? "without a version"}, ${time(build.createdAt)}</li>`}${game.devices.length > 0 && html`<li>${game.devices.join(", ")}</li>`}${isSuspended && html`<li class="bad">Suspended: no playtests of it can be ordered, and nobody can claim its slots.</li>`}</ul>
${!hasNone && !isSuspended && html`<p><a class="button" href="${studio.order()}?game=${id}">Order playtests</a> <a href="${studio.bulkOrder()}?game=${id}">Order from a file</a></p>`}
<ul class="links"><li><a href="${studio.builds(id)}">Builds</a></li><li><a href="${studio.editGame(id)}">Edit the game</a></li><li><a href="${studio.findings(id)}">Findings: what the videos show</a></li><li><a href="${studio.gameHighlights(id)}">Highlights: where to look first</a></li><li><a href="${studio.stats()}?game=${id}">Statistics: ${context.site.payments ? "ratings, times and costs" : "ratings and times"}</a></li></ul>
<h2>Playtests</h2>
<div data-live="playtests">${data.playtests.length > 0 ? html`<ul class="list">${data.playtests.map(playtestCard)}</ul>` : html`<p class="calm">No playtests of this game yet.</p>`}${more(studio.game(id), meta.cursor)}</div>
${commands(context, "From the command line", [
  ["Upload a new build", `playtest games push ./build ${id}`],
  ["Order a playtest", `playtest order ${id}`],
  ["Change its name, texts or devices", `playtest games update ${id}`],
])}`;
  return studioLayout(context, "games", { title: game.name, body });
}

export const games: StudioPage = { at: studio.games, view: gamesPage };
export const game: StudioPage = { at: studio.game, view: gamePage };

function playtestCard({ id, status, createdAt, durationMinutes, quantity, visibility, slots }: Playtest): Markup {
  return html`<li class="card"><div class="head"><h3><a href="${studio.playtest(id)}">${time(createdAt)}</a></h3>${playtestBadge(status)}</div>
${progressOf(quantity, slots)}
<ul class="facts"><li>${plural(quantity, "slot")}</li><li>${durationMinutes} min</li><li>${visibility}</li>${slots.submitted > 0 && html`<li class="act">${slots.submitted} to review</li>`}${(slots.blocked ?? 0) > 0 && html`<li class="act">${plural(slots.blocked, "problem")}</li>`}</ul></li>`;
}

/** How much of an order is done: accepted, waiting for a review, and being played. */
export function progressOf(quantity: number, slots: Playtest["slots"]): Markup {
  const done = slots.accepted + (slots.publishing ?? 0);
  return html`<p class="done"><progress max="${quantity}" value="${done}" aria-label="Accepted videos"></progress> <span>${done} of ${quantity} accepted</span></p>`;
}
