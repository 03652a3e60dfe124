import type { Data } from "../../../src/contract/index.ts";
import { portal } from "../../../src/contract/pages/addresses.ts";
import { lengthText } from "../../../src/contract/text/length.ts";
import { plural } from "../../../src/contract/text/plural.ts";
import { invalid } from "../../lib/api-error.ts";
import { usd } from "../../lib/money.ts";
import { html, type Markup, type PageContent } from "../html.ts";
import { deviceLabels, devices } from "../shared/devices.ts";
import { button, cover, cursorOf, disabledButton, fault, marked, notice, prose, tokens } from "../shared/parts.ts";
import { players, time, timeIn, until } from "../shared/text.ts";
import { zoneFor } from "../shared/zone.ts";
import { type Filters, filtersOf, queryOf } from "./filters.ts";
import { signedInLayout } from "./layout.ts";
import { action, type PageContext, type PortalPage } from "./types.ts";

type Offer = Data<"listOffers">["playtests"][number];

/** What every offer of the page needs of its reader. */
interface Reader {
  /** Why no slot can be claimed. */
  full: Markup | undefined;
  zone: string | null;
}

/** `/play`: the open playtests, by game. */
export async function offersPage(context: PageContext): Promise<PageContent> {
  const filters = filtersOf(context);
  const { data, meta } = await context.call("listOffers", { query: { limit: 100, cursor: cursorOf(context), ...filters } });
  const most = (await context.call("getServerInfo")).data.limits.reservedSlots;
  const full = data.heldSlots >= most ? whyFull(data.heldSlots) : undefined;
  const done = context.query.get("done") === "accepted" && notice("You accepted the agreement. You can now take part.");
  const groups = byGame(data.playtests);
  const zone = await zoneFor(
    context,
    data.playtests.map(({ scheduledAt }) => scheduledAt),
  );
  const list = html`<ul class="list">${groups.map((offers) => gameCard(context, offers, { full, zone }))}</ul>`;
  const body = html`${done}${filterForm(filters, data.filters.languages)}${groups.length > 0 ? list : none(filters)}${older(filters, meta.cursor)}`;
  return signedInLayout(context, "offers", { title: "Playtests", body });
}

/** The offers of each game, in the order in which the games appear first. */
function byGame(offers: readonly Offer[]): Offer[][] {
  const groups = new Map<string, Offer[]>();
  for (const offer of offers) groups.set(offer.game.id, [...(groups.get(offer.game.id) ?? []), offer]);
  return [...groups.values()];
}

const whyFull = (held: number) =>
  html`You hold ${plural(held, "slot")}, the most at once. Submit or release one in <a href="${portal.slots()}">My slots</a> first.`;

const languageNames = new Intl.DisplayNames("en", { type: "language" });
const languageLabel = (tag: string) => languageNames.of(tag) ?? tag;

interface Choice {
  value: string;
  label: string;
}

const select = (name: string, label: string, any: string, choices: readonly Choice[], chosen: string | undefined) =>
  html`<div><label for="${name}">${label}</label>
<select id="${name}" name="${name}"><option value="">${any}</option>${choices.map(({ value, label }) => html`<option value="${value}"${value === chosen && html` selected`}>${label}</option>`)}</select></div>`;

/** The languages to choose from: those of the games that are offered, and the one that is chosen. */
function languageChoices(offered: readonly string[], chosen: string | undefined): Choice[] {
  const all = chosen === undefined || offered.includes(chosen) ? offered : [...offered, chosen];
  return all.map((tag) => ({ value: tag, label: languageLabel(tag) })).sort((a, b) => a.label.localeCompare(b.label));
}

function filterForm({ device, language }: Filters, offered: readonly string[]): Markup {
  const languages = languageChoices(offered, language);
  return html`<form method="get" action="${portal.offers()}" class="filter">
${select("device", "Device", "Any device", devices, device)}
${languages.length > 0 && select("language", "Language", "Any language", languages, language)}
<button class="quiet">Show</button></form>`;
}

function none({ device, language }: Filters): Markup {
  const wanted = [...(device ? [`for ${deviceLabels[device]}`] : []), ...(language ? [`in ${languageLabel(language)}`] : [])];
  return wanted.length === 0
    ? html`<p>No playtests are available right now. New ones appear here: <a href="${portal.offers()}">check again</a> later.</p>`
    : html`<p>No playtests ${wanted.join(" ")} are available right now. <a href="${portal.offers()}?${queryOf({})}">Show all playtests</a>.</p>`;
}

const older = (filters: Filters, cursor: string | null | undefined) =>
  typeof cursor === "string" &&
  html`<p class="more"><a href="${portal.offers()}?${queryOf(filters)}&cursor=${encodeURIComponent(cursor)}">Show older</a></p>`;

/** A game with its playtests. */
function gameCard(context: PageContext, offers: readonly Offer[], reader: Reader): Markup {
  const { game } = offers[0]!;
  const spoken = (game.languages ?? []).map(languageLabel);
  const kinds = [...game.categories.map((category) => category.name), ...game.platforms, ...game.devices, ...spoken];
  return html`<li class="card"><div class="game">${cover(game)}<div><h2>${game.name}</h2>
${kinds.length > 0 && html`<p class="soft">${kinds.join(" · ")}</p>`}
${game.description && prose(game.description)}
${game.externalUrl && html`<p><a href="${game.externalUrl}" target="_blank" rel="noopener">About the game<span class="hidden"> ${game.name} (opens in a new tab)</span></a></p>`}</div></div>
<ul class="offers">${offers.map((offer) => item(context, offer, reader))}</ul></li>`;
}

const item = (context: PageContext, offer: Offer, reader: Reader): Markup =>
  html`<li><div class="head"><ul class="facts"><li>${offer.durationMinutes} minutes</li><li>${players(offer.playerCount)}</li><li>${plural(offer.slotsOpen, "slot")} left</li>${offer.minVideoSeconds > 0 && html`<li>video of at least ${lengthText(offer.minVideoSeconds)}</li>`}${offer.visibility === "public" && html`<li>your video will be public</li>`}${offer.panel && html`<li><span class="badge">for ${offer.panel}</span></li>`}</ul>${pay(context, offer.payoutCents)}</div>
${fixedTime(context, offer, reader)}
${takePart(context, offer, reader)}</li>`;

/** When everybody plays, where playtesters do not choose. */
const fixedTime = ({ now }: PageContext, { scheduledAt: at }: Offer, { zone }: Reader) =>
  at !== null &&
  html`<p><strong>Played at ${timeIn(at, zone)}</strong> <span class="soft">(${until(at, now) || "now"})</span>${zone === null && html` <a href="${portal.account()}">Set your time zone</a>`}</p>`;

function takePart(context: PageContext, offer: Offer, reader: Reader): Markup {
  if (offer.mustAccept) return agreementLink(offer);
  return html`${consent(offer)}${takeForm(context, offer, reader)}`;
}

/** The sentence to which a playtester consents by taking part. */
const consent = ({ publicationConsent, selectionMode }: Offer) =>
  publicationConsent &&
  html`<p>${publicationConsent.text} By ${selectionMode === "manual" ? "applying" : "claiming a slot"} you consent to that. <a href="${portal.account()}">Change whether your name is shown</a></p>`;

function takeForm(context: PageContext, offer: Offer, reader: Reader): Markup {
  return offer.selectionMode === "manual" ? applyForm(context, offer, reader) : claimForm(context, offer, reader);
}

const pay = ({ site }: PageContext, cents: number) =>
  (cents > 0 || site.payments) && html`<span class="pay">${cents > 0 ? usd(cents) : "unpaid"}</span>`;

const agreementLink = (offer: Offer) =>
  html`<p>You must accept an agreement before you can ${offer.selectionMode === "manual" ? "apply" : "claim a slot"}.</p>
<p><a class="button" href="${portal.agreement(offer.id)}">Read the agreement<span class="hidden"> of ${offer.game.name}</span></a></p>`;

function claimForm(context: PageContext, offer: Offer, reader: Reader): Markup {
  if (reader.full) return disabledButton("Claim a slot", `why-${offer.id}`, reader.full);
  if (offer.team) return teamForm(context, offer, offer.team, reader);
  if (offer.scheduledAt === null) return button(context, claim.at(offer.id), "Claim a slot");
  return html`<form method="post" action="${claim.at(offer.id)}">${tokens(context)}${confirmation(offer, reader)}
<button>Claim a slot</button></form>`;
}

const hours = (minutes: number) => (minutes % 60 === 0 ? plural(minutes / 60, "hour") : plural(minutes, "minute"));

/** The form to claim a slot with friends: one field for each. */
function teamForm(context: PageContext, offer: Offer, team: NonNullable<Offer["team"]>, reader: Reader): Markup {
  const fields = Array.from({ length: team.friendsNeeded }, (_, index) => friendFields(context, offer, team, index));
  const isPaid = offer.payoutCents > 0;
  return html`<p>Name ${plural(team.friendsNeeded, "friend")} who will play with you. ${team.friendsNeeded === 1 ? "They have" : "All of them have"} ${hours(team.confirmWithinMinutes)} to confirm; then the slot is reserved.${isPaid && " The payout is divided equally unless you enter shares."}</p>
<form method="post" action="${claim.at(offer.id)}">${tokens(context)}${fields}${confirmation(offer, reader)}<button>Claim a slot together</button></form>`;
}

function friendFields(context: PageContext, offer: Offer, team: NonNullable<Offer["team"]>, index: number): Markup {
  const [friend, share] = [`friend${index}`, `share${index}`];
  const isAgain = context.id === offer.id;
  const chosen = isAgain ? context.form[friend] : team.friends[index]?.handle;
  const options = team.friends.map(
    ({ handle, displayName }) =>
      html`<option value="${handle}"${handle === chosen && html` selected`}>${displayName} (${handle})</option>`,
  );
  const number = team.friendsNeeded === 1 ? "" : ` ${index + 1}`;
  return html`<div class="pair"><div><label for="${friend}-${offer.id}">Friend${number}</label><select id="${friend}-${offer.id}" name="${friend}">${options}</select></div>
${offer.payoutCents > 0 && html`<div><label for="${share}-${offer.id}">Share${number} in USD <span class="soft">(optional)</span></label><input id="${share}-${offer.id}" name="${share}" inputmode="decimal" autocomplete="off" maxlength="12" value="${isAgain ? context.form[share] : ""}"></div>`}</div>`;
}

/** The friends that the form of an offer names. Undefined where it names none. */
function namedFriends(form: PageContext["form"]) {
  const named = [];
  for (let index = 0; form[`friend${index}`] !== undefined; index++) {
    const share = form[`share${index}`]?.trim();
    if (share && !/^\d{1,7}(\.\d{1,2})?$/.test(share)) throw invalid(`share${index}`, "must be an amount such as 12.50");
    const shareCents = share ? Math.round(Number(share) * 100) : undefined;
    named.push({ handle: form[`friend${index}`]!, ...(shareCents !== undefined && { shareCents }) });
  }
  return named.length > 0 ? named : undefined;
}

/** The box with which a playtester confirms the fixed time. The form sends it, so that another one is never confirmed by mistake. */
const confirmation = ({ scheduledAt: at }: Offer, { zone }: Reader) =>
  at !== null &&
  html`<p><label class="check"><input type="checkbox" name="scheduledAt" value="${at}" required> I will play at ${timeIn(at, zone)}</label></p>`;

function applyForm(context: PageContext, offer: Offer, reader: Reader): Markup {
  const field = answerField(offer.id);
  const closes = offer.applicationsExpireAt;
  return html`${offer.qualifications && html`<h3>Requirements</h3>${prose(offer.qualifications)}`}
<p class="soft">The owner chooses who plays.${closes && html` Apply by ${time(closes)} (${until(closes, context.now)}).`}</p>
<form method="post" action="${apply.at(offer.id)}">${tokens(context)}
<label for="${field}">Why are you a good fit? <span class="soft">(optional)</span></label>
<textarea id="${field}" name="answer" maxlength="5000"${marked(context, field)}>${context.id === offer.id && context.form.answer}</textarea>
${fault(context, field)}
${confirmation(offer, reader)}
<button>Apply</button></form>`;
}

const offer = portal.offers.below("offers/:id");

const confirmed = ({ scheduledAt }: Record<string, string | undefined>) => (scheduledAt ? { scheduledAt } : {});

const claim = action({ at: offer.below("claim") }, async ({ call, id, form }) => {
  const named = namedFriends(form);
  const body = { ...confirmed(form), ...(named && { with: named }) };
  const { slot } = (await call("claimPlaytest", { params: { id }, idempotencyKey: form.formKey, body })).data;
  return `${portal.slot(slot.id)}?done=${slot.status === "open" ? "asked" : "claimed"}`;
});

const answerField = (offerId: string) => `answer-${offerId}`;

const applyFields = { qualificationsResponse: { label: "Why are you a good fit?", id: answerField } };

const apply = action({ at: offer.below("apply"), fields: applyFields }, async ({ call, id, form }) => {
  const answer = form.answer?.trim();
  await call("applyToPlaytest", {
    params: { id },
    idempotencyKey: form.formKey,
    body: { ...confirmed(form), ...(answer && { qualificationsResponse: answer }) },
  });
  return `${portal.applications()}?done=applied`;
});

export const offers: PortalPage = { at: portal.offers, view: offersPage, actions: [claim, apply] };
