import { type Audience, audienceText } from "../../../../src/contract/accounts/audience-text.ts";
import type { Device } from "../../../../src/contract/games.ts";
import type { Data } from "../../../../src/contract/index.ts";
import { portal } from "../../../../src/contract/pages/addresses.ts";
import { lengthText } from "../../../../src/contract/text/length.ts";
import { plural } from "../../../../src/contract/text/plural.ts";
import { usd } from "../../../lib/money.ts";
import { html, type Markup } from "../../html.ts";
import { deviceLabels } from "../../shared/devices.ts";
import { outsideLink, prose } from "../../shared/parts.ts";
import { time, timeIn, until } from "../../shared/text.ts";
import type { PageContext } from "../types.ts";

/** What pages say of a playtest that is offered. */
type Offer = Data<"getOffer">["playtest"];

const languageNames = new Intl.DisplayNames("en", { type: "language" });
const deviceLabel = (device: Device) => deviceLabels[device] ?? device;
export const languageLabel = (tag: string) => languageNames.of(tag) ?? tag;

/** The description of a game, what kind it is, and the link to its own site. */
export function aboutGame({ name, description, externalUrl, categories, platforms, devices, languages }: Offer["game"]): Markup {
  const kinds = [
    ...categories.map((category) => category.name),
    ...platforms,
    ...devices.map(deviceLabel),
    ...(languages ?? []).map(languageLabel),
  ];
  return html`${kinds.length > 0 && html`<p class="soft">${kinds.join(" · ")}</p>`}
${description && prose(description)}
${externalUrl && html`<p>${outsideLink(externalUrl, html`About the game<span class="hidden"> ${name}</span>`)}</p>`}`;
}

export const pay = ({ site }: PageContext, { payoutCents }: Pick<Offer, "payoutCents">) =>
  (payoutCents > 0 || site.payments) && html`<span class="pay">${payoutCents > 0 ? usd(payoutCents) : "unpaid"}</span>`;

/** `For players in Germany with a Windows PC`. */
export function forWhom(offer: Audience): Markup | false {
  const audience = audienceText(offer);
  return audience !== undefined && html`<p><strong>For ${audience}</strong></p>`;
}

/** When everybody plays, where playtesters do not choose. `zone` is the reader's; null without one. */
export const fixedTime = ({ now }: PageContext, { scheduledAt: at }: Pick<Offer, "scheduledAt">, zone: string | null) =>
  at !== null &&
  html`<p><strong>Played at ${timeIn(at, zone)}</strong> <span class="soft">(${until(at, now) || "now"})</span>${zone === null && html` <a href="${portal.account()}">Set your time zone</a>`}</p>`;

type Fact = readonly [name: string, what: Markup | string];

const factOf = ([name, what]: Fact) => html`<div><dt>${name}</dt><dd>${what}</dd></div>`;

/** The part of each player, to the nearest cent. */
const perPlayer = ({ payoutCents, playerCount }: Offer) =>
  `${payoutCents % playerCount === 0 ? "" : "about "}${usd(Math.round(payoutCents / playerCount))} per player`;

/** What is paid, to whom and when. A public video is paid when it is published. */
function payText(offer: Offer): string {
  const { payoutCents, playerCount, visibility, team } = offer;
  if (payoutCents === 0) return "Unpaid";
  const toAll = " in all, divided among the players of your team";
  const each = team ? toAll : playerCount > 1 ? ` in all, which is ${perPlayer(offer)} and is paid to you` : "";
  return `${usd(payoutCents)}${each}, ${visibility === "public" ? "when your video is published" : "when the owner accepts your video"}`;
}

const lengthOf = ({ durationMinutes, minVideoSeconds }: Offer) =>
  `${durationMinutes} minutes${minVideoSeconds > 0 ? `; a video of less than ${lengthText(minVideoSeconds)} cannot be submitted` : ""}`;

function playersOf({ playerCount, team }: Offer): string {
  if (playerCount === 1) return "Only you";
  const others = playerCount - 1;
  if (team)
    return `${playerCount} at once: you and ${plural(others, "friend")} on this server, whom you name and who must confirm`;
  return `${playerCount} at once: you and ${plural(others, "other person", "other people")}, whom you bring. Only you need an account.`;
}

const devicesOf = ({ game }: Offer) => (game.devices.length > 0 ? game.devices.map(deviceLabel).join(", ") : "Any");

function deadlineOf({ deadlineHours, selectionMode, team, scheduledAt }: Offer): string {
  if (scheduledAt !== null)
    return `You submit your video after the fixed time, and at most ${deadlineHours} hours after it. After that, you lose the slot.`;
  const claimed = team ? "from the moment your team is complete" : "from the moment you claim the slot";
  const from = selectionMode === "manual" ? "from the moment the owner chooses you" : claimed;
  return `${deadlineHours} hours to play and to submit your video, ${from}. After that, you lose the slot.`;
}

const releaseOf = ({ site }: PageContext, { payoutCents }: Offer) =>
  `You can release the slot at any time before you submit. You ${site.payments && payoutCents > 0 ? "are not paid then, and you " : ""}cannot take part in this playtest again.`;

/** Everything that a playtester should know before the tap: pay, time, deadline, and what releasing costs. */
export function terms(context: PageContext, offer: Offer): Markup {
  const { site, now } = context;
  const closes = offer.applicationsExpireAt;
  const facts: (Fact | false)[] = [
    (offer.payoutCents > 0 || site.payments) && ["Pay", payText(offer)],
    ["Length", lengthOf(offer)],
    ["Players", playersOf(offer)],
    ["Devices", devicesOf(offer)],
    (offer.game.languages ?? []).length > 0 && ["Languages", (offer.game.languages ?? []).map(languageLabel).join(", ")],
    ["Deadline", deadlineOf(offer)],
    [
      "Slots",
      `${plural(offer.slotsOpen, "slot")} left. You can hold ${plural(offer.maxHeldSlots, "slot")} at once, of all playtests.`,
    ],
    ["Releasing", releaseOf(context, offer)],
    closes !== null && ["Applications", html`until ${time(closes)} (${until(closes, now)})`],
    offer.panel !== null && ["Group", `only for ${offer.panel}`],
  ];
  return html`<dl class="needs terms">${facts.filter((fact) => fact !== false).map(factOf)}</dl>`;
}

/** The box with which a playtester confirms the fixed time. The form sends it, so that another one is never confirmed by mistake. */
export const confirmation = (at: string, zone: string | null): Markup =>
  html`<label class="check"><input type="checkbox" name="scheduledAt" value="${at}" required> <span>I will play at ${timeIn(at, zone)}</span></label>`;

/** The fixed time that a form confirms, as operations take it. */
export const confirmedTime = ({ scheduledAt }: Record<string, string | undefined>) => (scheduledAt ? { scheduledAt } : {});
