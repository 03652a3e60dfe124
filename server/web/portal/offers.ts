import type { Data } from "../../../src/contract/index.ts";
import { usd } from "../../lib/money.ts";
import { html, type Markup, type PageContent } from "../html.ts";
import { button, cursorOf, more, notice, players, prose, signedInLayout, time, tokens, until } from "./layout.ts";
import type { PageContext } from "./types.ts";

type Offer = Data<"listOffers">["playtests"][number];

/** `/play`: the open playtests. */
export async function offersPage(context: PageContext): Promise<PageContent> {
  const { data, meta } = await context.call("listOffers", { query: { cursor: cursorOf(context) } });
  const list =
    data.playtests.length > 0
      ? html`<ul class="list">${data.playtests.map((offer) => card(context, offer))}</ul>`
      : html`<p>No playtests are available right now. New ones appear here: <a href="/play">check again</a> later.</p>`;
  const done = context.query.get("done") === "accepted" && notice("You accepted the agreement. You can now take part.");
  return signedInLayout(context, "offers", { title: "Playtests", body: html`${done}${list}${more("/play", meta.cursor)}` });
}

function card(context: PageContext, offer: Offer): Markup {
  const { game } = offer;
  const kinds = [...game.categories.map((category) => category.name), ...game.platforms, ...game.devices];
  return html`<li class="card"><div class="head"><h2>${game.name}</h2>${pay(offer.payoutCents)}</div>
<ul class="facts"><li>${offer.durationMinutes} minutes</li><li>${players(offer.playerCount)}</li><li>${offer.slotsOpen} ${offer.slotsOpen === 1 ? "slot" : "slots"} left</li>${offer.visibility === "public" && html`<li>your video will be public</li>`}${offer.panel && html`<li><span class="badge">for ${offer.panel}</span></li>`}</ul>
${kinds.length > 0 && html`<p class="soft">${kinds.join(" · ")}</p>`}
${game.description && prose(game.description)}
${game.externalUrl && html`<p><a href="${game.externalUrl}" target="_blank" rel="noopener">About the game<span class="hidden"> ${game.name} (opens in a new tab)</span></a></p>`}
${offer.mustAccept ? agreementLink(offer) : offer.selectionMode === "manual" ? applyForm(context, offer) : claimForm(context, offer)}</li>`;
}

const pay = (cents: number) => html`<span class="pay">${cents > 0 ? usd(cents) : "unpaid"}</span>`;

const agreementLink = (offer: Offer) =>
  html`<p>You must accept an agreement before you can ${offer.selectionMode === "manual" ? "apply" : "claim a slot"}.</p>
<p><a class="button" href="/play/offers/${offer.id}/agreement">Read the agreement<span class="hidden"> of ${offer.game.name}</span></a></p>`;

const claimForm = (context: PageContext, offer: Offer) => button(context, `/play/offers/${offer.id}/claim`, "Claim a slot");

function applyForm(context: PageContext, offer: Offer): Markup {
  const field = `answer-${offer.id}`;
  const closes = offer.applicationsExpireAt;
  return html`${offer.qualifications && html`<h3>Requirements</h3>${prose(offer.qualifications)}`}
<p class="soft">The owner chooses who plays.${closes && html` Apply by ${time(closes)} (${until(closes, context.now)}).`}</p>
<form method="post" action="/play/offers/${offer.id}/apply">${tokens(context)}
<label for="${field}">Why are you a good fit? <span class="soft">(optional)</span></label>
<textarea id="${field}" name="answer" maxlength="5000">${context.id === offer.id && context.form.answer}</textarea>
<button>Apply</button></form>`;
}

export async function claim({ call, id, form }: PageContext): Promise<string> {
  const { slot } = (await call("claimPlaytest", { params: { id }, idempotencyKey: form.formKey })).data;
  return `/play/slots/${slot.id}?done=claimed`;
}

export async function apply({ call, id, form }: PageContext): Promise<string> {
  const answer = form.answer?.trim();
  await call("applyToPlaytest", {
    params: { id },
    idempotencyKey: form.formKey,
    body: answer ? { qualificationsResponse: answer } : {},
  });
  return "/play/applications?done=applied";
}
