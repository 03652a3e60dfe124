import { newPlaytests } from "../../../src/contract/events/mails.ts";
import type { Data } from "../../../src/contract/index.ts";
import { portal } from "../../../src/contract/pages/addresses.ts";
import { mine } from "../../../src/contract/playtester.ts";
import { lengthText } from "../../../src/contract/text/length.ts";
import { plural } from "../../../src/contract/text/plural.ts";
import { noneSent } from "../../mail/delivery.ts";
import { html, type Markup, type PageContent } from "../html.ts";
import { deviceLabels, devices } from "../shared/devices.ts";
import { button, cover, cursorOf, notice } from "../shared/parts.ts";
import { players, time, timeOfDay, until } from "../shared/text.ts";
import { zoneFor } from "../shared/zone.ts";
import { type Filters, filtersOf, queryOf } from "./filters.ts";
import { signedInLayout } from "./layout.ts";
import { aboutGame, fixedTime, forWhom, languageLabel, pay } from "./offers/facts.ts";
import { action, type PageContext, type PortalPage } from "./types.ts";

type Offer = Data<"listOffers">["playtests"][number];

/** `/play`: the open playtests, by game. */
export async function offersPage(context: PageContext): Promise<PageContent> {
  const { profile } = (await context.call("getMe")).data;
  const filters = filtersOf(context, profile);
  const { data, meta } = await context.call("listOffers", { query: { limit: 100, cursor: cursorOf(context), ...filters } });
  const most = (await context.call("getServerInfo")).data.limits.reservedSlots;
  const groups = byGame(data.playtests);
  const zone = await zoneFor(
    context,
    data.playtests.map(({ scheduledAt }) => scheduledAt),
  );
  const list = html`<ul class="list">${groups.map((offers) => gameCard(context, offers, zone))}</ul>`;
  const body = html`${data.heldSlots >= most && whyFull(data.heldSlots)}${filterForm(filters, data.filters.languages, profile)}${!hasTraits(profile) && sayMore}${groups.length > 0 ? list : html`${none(filters)}${await byMail(context)}`}${older(filters, meta.cursor)}`;
  return signedInLayout(context, "offers", { title: "Playtests", body });
}

/** The offers of each game, in the order in which the games appear first. */
function byGame(offers: readonly Offer[]): Offer[][] {
  const groups = new Map<string, Offer[]>();
  for (const offer of offers) groups.set(offer.game.id, [...(groups.get(offer.game.id) ?? []), offer]);
  return [...groups.values()];
}

const whyFull = (held: number) =>
  html`<p>You hold ${plural(held, "slot")}, the most at once. Before you claim another one, submit or release one in <a href="${portal.slots()}">My slots</a>.</p>`;

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

type Profile = Data<"getMe">["profile"];

const hasTraits = (profile: Profile) =>
  profile !== null && (profile.country ?? profile.ageBand ?? profile.devices[0] ?? profile.languages[0]) !== undefined;

const sayMore = html`<p class="soft">Some playtests are only for certain players. <a href="${portal.account()}">Say in your profile</a> what you play on, where you are and what you speak, to be offered those too.</p>`;

/** The choice of what the profile names, if it names any. */
const own = (label: string, named: readonly string[] | undefined, chosen: string | undefined): Choice[] =>
  named?.length || chosen === mine ? [{ value: mine, label }] : [];

function filterForm({ device, language }: Filters, offered: readonly string[], profile: Profile): Markup {
  const languages = [
    ...own("My languages", profile?.languages, language),
    ...languageChoices(offered, language === mine ? undefined : language),
  ];
  return html`<form method="get" action="${portal.offers()}" class="filter">
${select("device", "Device", "Any device", [...own("My devices", profile?.devices, device), ...devices], device)}
${languages.length > 0 && select("language", "Language", "Any language", languages, language)}
<button class="quiet">Show</button></form>`;
}

function none({ device, language }: Filters): Markup {
  const wanted = [
    ...(device ? [`for ${device === mine ? "your devices" : deviceLabels[device]}`] : []),
    ...(language ? [`in ${language === mine ? "your languages" : languageLabel(language)}`] : []),
  ];
  return wanted.length === 0
    ? html`<p>No playtests are available right now. New ones appear here: <a href="${portal.offers()}">check again</a> later.</p>`
    : html`<p>No playtests ${wanted.join(" ")} are available right now. <a href="${portal.offers()}?${queryOf({})}">Show all playtests</a>.</p>`;
}

/** Emails about new playtests: that they are on, or the button that turns them on. */
async function byMail(context: PageContext): Promise<Markup> {
  const { settings, digestHour } = (await context.call("listNotificationSettings")).data;
  const isOn = settings.some(({ kind, mail }) => kind === newPlaytests && mail !== "off");
  const said = html`When there are new playtests that you can claim, you get one email a day, at ${timeOfDay(digestHour)}. <a href="${portal.emails()}">Change your emails</a>.`;
  const text = context.query.get("done") === "asked" ? notice(said) : html`<p>${said}</p>`;
  return html`${isOn ? text : button(context, askForMail.at(), "Email me about new playtests")}${context.site.delivery === "saved" && html`<p class="soft">${noneSent}</p>`}`;
}

const askForMail = action({ at: portal.offers }, async ({ call, form }) => {
  await call("updateNotificationSettings", { body: { kinds: [newPlaytests], mail: "digest" }, idempotencyKey: form.formKey });
  return `${portal.offers()}?done=asked`;
});

const older = (filters: Filters, cursor: string | null | undefined) =>
  typeof cursor === "string" &&
  html`<p class="more"><a href="${portal.offers()}?${queryOf(filters)}&cursor=${encodeURIComponent(cursor)}">Show older</a></p>`;

/** A game with its playtests. */
function gameCard(context: PageContext, offers: readonly Offer[], zone: string | null): Markup {
  const { game } = offers[0]!;
  return html`<li class="card"><div class="game">${cover(game)}<div><h2>${game.name}</h2>
${aboutGame(game)}</div></div>
<ul class="offers">${offers.map((offer) => item(context, offer, zone))}</ul></li>`;
}

/** One playtest of a game, with a link to the page that says what taking part means. */
const item = (context: PageContext, offer: Offer, zone: string | null): Markup =>
  html`<li><div class="head"><ul class="facts"><li>${offer.durationMinutes} minutes</li><li>${players(offer.playerCount)}</li><li>${plural(offer.slotsOpen, "slot")} left</li>${offer.minVideoSeconds > 0 && html`<li>video of at least ${lengthText(offer.minVideoSeconds)}</li>`}${offer.visibility === "public" && html`<li>your video will be public</li>`}${offer.panel && html`<li><span class="badge">for ${offer.panel}</span></li>`}</ul>${pay(context, offer)}</div>
${forWhom(offer)}
${fixedTime(context, offer, zone)}
${offer.selectionMode === "manual" && html`<p class="soft">The owner chooses who plays.${offer.applicationsExpireAt && html` Apply by ${time(offer.applicationsExpireAt)} (${until(offer.applicationsExpireAt, context.now)}).`}</p>`}
<p><a class="button" href="${portal.offer(offer.id)}">${offer.selectionMode === "manual" ? "See and apply" : "See and claim"}<span class="hidden">: ${offer.game.name}, ${offer.durationMinutes} minutes</span></a></p></li>`;

export const offers: PortalPage = { at: portal.offers, view: offersPage, actions: [askForMail] };
