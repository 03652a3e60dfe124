import type { Data } from "../../../src/contract/index.ts";
import { operator } from "../../../src/contract/pages/addresses.ts";
import { lengthText } from "../../../src/contract/text/length.ts";
import { firstCharacters } from "../../../src/contract/text/one-line.ts";
import { plural } from "../../../src/contract/text/plural.ts";
import { usd } from "../../lib/money.ts";
import { html, type Markup, type PageContent } from "../html.ts";
import { cursorOf, more } from "../shared/parts.ts";
import { time } from "../shared/text.ts";
import { operatorLayout } from "./layout.ts";
import { command, isId, type OperatorContext, type OperatorPage } from "./types.ts";

type Operated = Data<"listAllPlaytests">["playtests"][number];
type Slot = Data<"getAnyPlaytest">["slots"][number];

/** `/admin/playtests`: the playtests of all owners, by an id or a name. */
async function playtestsPage(context: OperatorContext): Promise<PageContent> {
  const search = firstCharacters(context.query.get("q")?.trim() ?? "", 254);
  const wanted = isId.test(search) ? { id: search } : search ? { search } : {};
  const { data, meta } = await context.call("listAllPlaytests", { query: { cursor: cursorOf(context), ...wanted } });
  const list =
    data.playtests.length > 0
      ? html`<ul class="list">${data.playtests.map(row)}</ul>`
      : html`<p class="calm">No playtest was found.</p>`;
  const body = html`<form method="get" action="${operator.playtests()}" role="search"><label for="q">Game or owner; or the id of a playtest, a game or an owner</label>
<input id="q" name="q" type="search" maxlength="254" value="${search}"><button>Search</button></form>
${list}${search ? typeof meta.cursor === "string" && html`<p class="more"><a href="${operator.playtests()}?q=${encodeURIComponent(search)}&amp;cursor=${meta.cursor}">Show older</a></p>` : more(operator.playtests(), meta.cursor)}`;
  return operatorLayout(context, "playtests", { title: "Playtests", body });
}

const words = (state: string) => state.replaceAll("_", " ");

/** How many slots are in each state, such as `2 submitted, 1 open`. */
function slotsText(slots: Operated["slots"]): string {
  const present = Object.entries(slots).filter(([, count]) => count > 0);
  return present.length === 0 ? "no slots" : present.map(([status, count]) => `${count} ${words(status)}`).join(", ");
}

function heldText({ heldCents, heldMinutes }: Operated): string {
  const held = [heldCents > 0 && usd(heldCents), heldMinutes > 0 && lengthText(heldMinutes * 60)].filter(
    (text) => text !== false,
  );
  return held.length === 0 ? "nothing held" : `${held.join(" and ")} held`;
}

const row = (one: Operated): Markup =>
  html`<li class="card"><h2><a href="${operator.playtest(one.id)}">${one.gameName}</a></h2><p>${words(one.status)} <span class="soft">${slotsText(one.slots)} · ${heldText(one)}</span>${suspended(one)}</p>
<p class="soft">${one.owner.displayName}, ${time(one.createdAt)}</p></li>`;

const suspended = ({ gameStatus }: Operated) =>
  gameStatus === "suspended" && html` <span class="badge act">Game suspended</span>`;

/** `/admin/playtests/ID`: one playtest, its slots, and what is done about it by command. */
async function playtestPage(context: OperatorContext): Promise<PageContent> {
  const { playtest: one, slots } = (await context.call("getAnyPlaytest", { params: { id: context.id } })).data;
  const { id, gameId, owner, quantity, durationMinutes, costPerSlotCents, payoutCents } = one;
  const kind = one.isFreePublicTrial ? "Free trial" : one.visibility === "public" ? "Public videos" : "Private videos";
  const body = html`<p>${words(one.status)} <span class="soft">${slotsText(one.slots)} · ${heldText(one)}</span>${suspended(one)}</p>
<p>Ordered by <a href="${operator.person(owner.id)}">${owner.displayName}</a> ${time(one.createdAt)}. ${kind}: ${plural(quantity, "slot")} of ${durationMinutes} minutes${costPerSlotCents > 0 && `, ${usd(costPerSlotCents)} each`}${payoutCents > 0 && `; a playtester earns ${usd(payoutCents)}`}.</p>
<p class="soft"><code>${id}</code></p>
<p><a href="${operator.playtests()}?q=${gameId}">Playtests of this game</a> · <a href="${operator.playtests()}?q=${owner.id}">Playtests of this owner</a> · <a href="${operator.waiting()}">What waits</a></p>
<section><h2>Slots <span class="count">${slots.length}</span></h2>${slotTable(slots)}</section>
<section class="cli"><h2>From the command line</h2><p>What operators did to it:</p>${command(`playtest admin audit --target ${id}`)}
${slots.some(({ status }) => status === "blocked") && html`<p>Answer a reported problem in the owner's place:</p>${command(`playtest review unblock ${slots.find(({ status }) => status === "blocked")!.id}`)}`}
${one.gameStatus === "suspended" ? html`<p>Show the open slots of the game again:</p>${command(`playtest admin games unsuspend ${gameId}`)}` : html`<p>Hide the open slots of the game; claimed slots continue:</p>${command(`playtest admin games suspend ${gameId}`)}`}</section>`;
  return operatorLayout(context, "playtests", { title: one.gameName, body });
}

function slotTable(slots: readonly Slot[]): Markup {
  if (slots.length === 0) return html`<p class="calm">An order has slots once it is paid.</p>`;
  const rows = slots.map(
    ({ id, status, playtester, deadlineAt, submittedAt }) =>
      html`<tr><td>${words(status)}</td><td>${playtester && html`<a href="${operator.person(playtester.id)}">${playtester.displayName}</a>`}</td><td>${status === "reserved" && deadlineAt !== null ? html`due ${time(deadlineAt)}` : submittedAt !== null && html`submitted ${time(submittedAt)}`}</td><td><code>${id.slice(-8)}</code></td></tr>`,
  );
  return html`<table><thead><tr><th scope="col">State</th><th scope="col">Playtester</th><th scope="col">When</th><th scope="col">Id</th></tr></thead><tbody>${rows}</tbody></table>`;
}

export const playtests: OperatorPage = { at: operator.playtests, view: playtestsPage };
export const playtest: OperatorPage = { at: operator.playtest, view: playtestPage };
