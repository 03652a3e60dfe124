import type { DataOf } from "../../../src/contract/endpoint.ts";
import type { Contract } from "../../../src/contract/index.ts";
import { html, type Markup, type PageContent } from "../html.ts";
import { button, cursorOf, frame, more, players, prose, time, tokens, until, usd, type Visit } from "./layout.ts";

type Offer = DataOf<Contract["listOffers"]>["playtests"][number];

/** `/play`: what there is to play. */
export async function offersPage(visit: Visit): Promise<PageContent> {
  const { data, next } = await visit.ask(visit.session, "listOffers", { cursor: cursorOf(visit) });
  const list =
    data.playtests.length > 0
      ? html`<ul class="list">${data.playtests.map((offer) => card(visit, offer))}</ul>`
      : html`<p>Nothing to play just now. Games that look for playtesters appear here; <a href="/play">look again</a> later.</p>`;
  return frame(visit, "offers", { title: "Playtests", body: html`${list}${more("/play", next)}` });
}

function card(visit: Visit, offer: Offer): Markup {
  const { game } = offer;
  const kinds = [...game.categories.map((category) => category.name), ...game.platforms, ...game.devices];
  return html`<li class="card"><div class="head"><h2>${game.name}</h2>${pay(offer.payoutCents)}</div>
<ul class="facts"><li>${offer.durationMinutes} minutes</li><li>${players(offer.playerCount)}</li><li>${offer.slotsOpen} ${offer.slotsOpen === 1 ? "place" : "places"} left</li>${offer.visibility === "public" && html`<li>your video will be public</li>`}</ul>
${kinds.length > 0 && html`<p class="soft">${kinds.join(" · ")}</p>`}
${game.description && prose(game.description)}
${game.externalUrl && html`<p><a href="${game.externalUrl}" target="_blank" rel="noopener">About the game<span class="hidden"> ${game.name} (opens in a new tab)</span></a></p>`}
${offer.selectionMode === "manual" ? applyForm(visit, offer) : claimForm(visit, offer)}</li>`;
}

const pay = (cents: number) => html`<span class="pay">${cents > 0 ? usd(cents) : "unpaid"}</span>`;

const claimForm = (visit: Visit, offer: Offer) => button(visit, `/play/offers/${offer.id}/claim`, "Claim a place");

function applyForm(visit: Visit, offer: Offer): Markup {
  const field = `answer-${offer.id}`;
  const closes = offer.applicationsExpireAt;
  return html`${offer.qualifications && html`<h3>Who is wanted</h3>${prose(offer.qualifications)}`}
<p class="soft">The owner chooses who plays.${closes && html` Apply until ${time(closes)} (${until(closes, visit.now)}).`}</p>
<form method="post" action="/play/offers/${offer.id}/apply">${tokens(visit)}
<label for="${field}">Why you? <span class="soft">(optional)</span></label>
<textarea id="${field}" name="answer" maxlength="5000">${visit.id === offer.id && visit.form.answer}</textarea>
<button>Apply</button></form>`;
}

export async function claim({ ask, session, id, form }: Visit): Promise<string> {
  const { slot } = (await ask(session, "claimPlaytest", { id, once: form.once })).data;
  return `/play/slots/${slot.id}?done=claimed`;
}

export async function apply({ ask, session, id, form }: Visit): Promise<string> {
  const answer = form.answer?.trim();
  await ask(session, "applyToPlaytest", { id, once: form.once, body: answer ? { qualificationsResponse: answer } : {} });
  return "/play/applications?done=applied";
}
