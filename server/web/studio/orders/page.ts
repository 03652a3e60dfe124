import { budgetText } from "../../../../src/contract/accounts/budget-text.ts";
import { sumText } from "../../../../src/contract/bulk/plan.ts";
import { costHeader, methodHeader } from "../../../../src/contract/bulk/send.ts";
import type { Data } from "../../../../src/contract/index.ts";
import { durations } from "../../../../src/contract/order-body.ts";
import { studio } from "../../../../src/contract/pages/addresses.ts";
import { ApiError, invalid } from "../../../lib/api-error.ts";
import { usd } from "../../../lib/money.ts";
import { html, type Markup, type PageContent } from "../../html.ts";
import { ifOffered } from "../../shared/not-offered.ts";
import { alert, fault, marked, tokens } from "../../shared/parts.ts";
import { profileZone } from "../../shared/zone.ts";
import type { Form } from "../../types.ts";
import { ifAllowed } from "../allowed.ts";
import { noBuildUrl } from "../games/form.ts";
import { type Game, gamesFor, type Offered, orderElsewhere } from "../games/listed.ts";
import { studioLayout } from "../layout.ts";
import { command, plural } from "../parts.ts";
import { action, type StudioContext, type StudioPage } from "../types.ts";
import { audienceInputs, audienceOf } from "./audience.ts";
import { audienceLabels, bodyOf, labels, methodOf, orderCommand } from "./fields.ts";
import { enteredTime, timeInputs } from "./fixed-time.ts";
import { nextToPay } from "./pay.ts";

type Quote = Data<"quotePlaytest">;
type Contacts = Exclude<Data<"listContacts">, { chatDisabled: boolean }>["contacts"];

/** How many past playtesters the form offers, besides the one who was chosen. */
const most = 100;

/** `/studio/order`: everything that an order takes, with its price. */
async function orderPage(context: StudioContext): Promise<PageContent> {
  return shown(context, undefined);
}

/** The form as it was filled in; with a price, it can be ordered. */
async function shown(context: StudioContext, priced: Priced | undefined): Promise<PageContent> {
  const offered = await gamesFor(context, orderElsewhere);
  const { games } = offered;
  const body =
    games.length === 0
      ? html`<p class="calm">No games yet.</p><p><a class="button" href="${studio.newGame()}">Create a game</a> first, then order playtests of it.</p>`
      : html`<p class="soft">Several at once: <a href="${studio.bulkOrder()}">order from a file</a>.</p>
<form method="post" action="${price.at()}" id="order">${tokens(context)}
<button hidden></button>
${await inputs(context, offered)}
<div id="quote">${priced && (await quoted(context, priced, games))}</div>
<button${priced && html` class="quiet"`} id="show-price">${priced ? "Show the price again" : "Show the price"}</button></form>`;
  return studioLayout(context, "games", { title: "Order playtests", body, assets: { scripts: ["order.js"] } });
}

interface Priced {
  quote: Quote;
  /** Why nothing was ordered, which stands above the price. */
  notice?: string;
}

/** What was filled in, with the fixed time. */
async function orderOf(context: StudioContext) {
  const scheduledAt = await enteredTime(context);
  return { ...bodyOf(context.form), ...(scheduledAt !== undefined && { scheduledAt }) };
}

/** The price of what was filled in. Game keys and the ref do not affect it. */
async function priceOf({ call, form }: StudioContext, body: Awaited<ReturnType<typeof orderOf>>): Promise<Quote> {
  if (!form.gameId) throw invalid("gameId", "must be chosen");
  return (await call("quotePlaytest", { body: { ...body, gameId: form.gameId } })).data;
}

const price = action({ at: studio.order.below("price"), fields: labels }, async (context) =>
  shown(context, { quote: await priceOf(context, await orderOf(context)) }),
);

const place = action({ at: studio.order, fields: labels }, async (context) => {
  const { call, form } = context;
  const body = await orderOf(context);
  const quote = await priceOf(context, body);
  // What is ordered costs what was shown and is paid by what was shown, whatever changed since.
  if (form.total !== String(quote.totalCents))
    return shown(context, { quote, notice: `The price is now ${usd(quote.totalCents)}. Nothing was ordered.` });
  const payWith = payerShown(form);
  if (payWith === undefined)
    return shown(context, { quote, notice: "The way to pay has changed since the price was shown. Nothing was ordered." });
  const bill = { payWith, cents: quote.totalCents };
  const headers = { ...methodHeader(bill), ...costHeader(bill) };
  const order = { params: { gameId: form.gameId! }, body, headers, idempotencyKey: form.formKey };
  try {
    const { data } = await call("createPlaytest", order);
    if ("approval" in data) return studio.approvals();
    return nextToPay(context, data) ?? `${studio.playtest(data.playtest.id)}?done=ordered`;
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "PAYMENT_REQUIRED") throw error;
    return shown(context, { quote: await priceOf(context, body), notice: error.message });
  }
});

export const order: StudioPage = { at: studio.order, view: orderPage, actions: [price, place] };

async function quoted(context: StudioContext, { quote, notice }: Priced, games: readonly Game[]): Promise<Markup> {
  const { form } = context;
  const game = games.find(({ id }) => id === form.gameId);
  const hasNoBuild = game?.buildUrl === noBuildUrl(context);
  const quantity = Number(form.quantity ?? 1);
  return html`<section><h2>Price</h2>${notice && alert(notice)}
${context.site.payments ? amounts(context, quote, quantity) : html`<p>This server runs without payments: the order costs nothing.</p>`}
${audienceOf(form)}
${(quote.warnings ?? []).map((warning) => html`<p class="note bad">${warning}</p>`)}
${hasNoBuild ? html`<p class="note bad">This game has no build yet. <a href="${studio.builds(form.gameId!)}">Upload one</a> before you order.</p>` : orderButton(context, quote, quantity)}
<p class="soft">The command that places this order:</p>
${command(context, orderCommand(form.gameId ?? "", form, context.site.payments ? quote.totalCents : undefined))}</section>`;
}

function amounts({ form }: StudioContext, quote: Quote, quantity: number): Markup {
  const { costPerSlotCents: cost, payoutCents, totalCents, budgets = [] } = quote;
  if (totalCents === 0) return html`<p class="amount">Free</p>`;
  return html`<p class="amount">${usd(totalCents)}</p>
<ul class="facts"><li>${plural(quantity, "slot")} at ${usd(cost)}</li>${payoutCents > 0 && html`<li>${usd(payoutCents)} of each is paid to its playtester</li>`}<li>Slots that nobody claims can be cancelled and are refunded</li></ul>
<p>${fundsText(quote, methodOf(form))}</p>
${budgets.map((one) => html`<p class="soft">${budgetText(one, usd)}.</p>`)}`;
}

type Method = ReturnType<typeof methodOf>;
const payers = ["free", "hours", "credit", "card"] as const;
type Payer = (typeof payers)[number];

/** What pays for the order as chosen. The quote itself is for `any`. */
function payerOf(quote: Quote, method: Method): Payer | "none" {
  if (method === "any" || quote.totalCents === 0) return quote.wouldPayWith;
  if (method === "hours") return quote.playtestMinutesAvailable >= quote.playtestMinutesNeeded ? "hours" : "none";
  if (method === "credit") return quote.balanceCents >= quote.totalCents ? "credit" : "none";
  return "card";
}

/** What the page with the price said pays. Undefined where another way to pay was chosen since. */
function payerShown(form: Form): Payer | undefined {
  const [payer, method] = [payers.find((one) => one === form.payer), methodOf(form)];
  const isChosen = payer === "free" || (method === "any" ? payer !== "card" : payer === method);
  return isChosen ? payer : undefined;
}

function fundsText(quote: Quote, method: Method): string {
  const { balanceCents, totalCents, playtestMinutesAvailable: available, playtestMinutesNeeded: needed } = quote;
  const payer = payerOf(quote, method);
  if (payer === "hours") return `Your playtest hours pay for it: ${needed} of ${plural(available, "minute")}.`;
  if (payer === "credit")
    return `Your credit pays for it: ${usd(balanceCents)} now, ${usd(balanceCents - totalCents)} afterwards.`;
  if (payer === "card") return `You pay ${usd(totalCents)} by card.`;
  if (method === "hours") return `It takes ${plural(needed, "minute")} of your playtest hours, and you have ${available}.`;
  return `Your credit of ${usd(balanceCents)} is ${usd(totalCents - balanceCents)} short.`;
}

function orderButton(context: StudioContext, quote: Quote, quantity: number): Markup {
  const method = methodOf(context.form);
  const payer = payerOf(quote, method);
  const seen = html`<input type="hidden" name="total" value="${quote.totalCents}" autocomplete="off"><input type="hidden" name="payer" value="${payer}" autocomplete="off">`;
  const price = payer === "hours" ? sumText(0, quote.playtestMinutesNeeded, usd) : usd(quote.totalCents);
  const label = `Order ${plural(quantity, "slot")}${quote.totalCents > 0 ? ` for ${price}` : ""}`;
  const at = place.at();
  if (payer !== "none")
    return html`${seen}<p><button formaction="${at}">${label}${method === "card" && quote.totalCents > 0 && ", and pay by card"}</button></p>`;
  if (method === "hours") return html`<p>Choose another way to pay above.</p>`;
  const byCard = context.site.cards && html` Or choose “By card” above.`;
  return html`<p><a class="button" href="${studio.billing()}#credit">Add credit</a>${byCard}</p>`;
}

const option = (value: string, label: string, chosen: string | undefined): Markup =>
  html`<option value="${value}"${value === (chosen ?? "") && html` selected`}>${label}</option>`;

/** Those that the form offers. Whoever was chosen stays chosen: an order for one must not become one for everyone. */
function pastPlaytesters(contacts: Contacts, chosen = ""): Pick<Contacts[number], "id" | "displayName">[] {
  const listed = contacts.slice(0, most);
  if (audienceLabels.some(([value]) => value === chosen) || listed.some(({ id }) => id === chosen)) return listed;
  return [contacts.find(({ id }) => id === chosen) ?? { id: chosen, displayName: "the playtester who was chosen" }, ...listed];
}

async function inputs(context: StudioContext, { games, chosen: game, others }: Offered): Promise<Markup> {
  const { form, call, site } = context;
  const contacts = ((await ifAllowed(call("listContacts")))?.data.contacts ?? []) as Contacts;
  const panels = (await ifOffered(call("listPanels")))?.data.panels ?? [];
  const zone = (await context.offers("rescheduleSlot")) ? { zone: await profileZone(context) } : undefined;
  const isTrialLeft =
    game !== undefined &&
    (await call("listPlaytests", { params: { gameId: game.id }, query: { limit: 1 } })).data.eligibleForFreeTrial;
  const select = (id: string, name: string, label: string | Markup, options: readonly Markup[]) =>
    html`<label for="${id}">${label}</label><select id="${id}" name="${name}"${marked(context, id)}>${options}</select>${fault(context, id)}`;
  const number = (id: string, name: string, label: string, max: number) =>
    html`<div><label for="${id}">${label}</label><input id="${id}" name="${name}" type="number" min="1" max="${max}" value="${form[name] ?? "1"}" required${marked(context, id)}>${fault(context, id)}</div>`;
  const visibility = form.visibility ?? "private";
  return html`${select(
    "game",
    "gameId",
    "Game",
    games.map(({ id, name }) => option(id, name, game?.id)),
  )}${others}
${select("visibility", "visibility", "Videos", [
  option("private", "Private: only you see them", visibility),
  option("public", "Public: 30 minutes, and the videos are published", visibility),
  ...(isTrialLeft || visibility === "trial"
    ? [option("trial", "The free trial of this game: public, one player, 30 minutes", visibility)]
    : []),
])}
<div class="pair">${number("quantity", "quantity", "Slots", 100)}${number("players", "playerCount", "Players in each slot", 8)}</div>
${select(
  "minutes",
  "minutes",
  html`Minutes of video <span class="soft">(private playtests)</span>`,
  durations.map((minutes) => option(String(minutes), `${minutes} minutes`, form.minutes ?? "60")),
)}
${select("audience", "audience", "Offered to", [
  ...audienceLabels.map(([value, label]) => option(value, label, form.audience)),
  ...pastPlaytesters(contacts, form.audience).map(({ id, displayName }) => option(id, `Only ${displayName}`, form.audience)),
])}${contacts.length > most && html`<p class="soft">Only ${most} of your past playtesters are listed. To order for another one, <a href="${studio.bulkOrder()}">order from a file</a> with the column tester.</p>`}
${panels.length > 0 && select("panel", "panel", "Tester group", [option("", "Everyone", form.panel), ...panels.map(({ name, members }) => option(name, `${name} (${plural(members, "member")})`, form.panel))])}
${audienceInputs(context)}
${select("selection", "selection", "Who chooses the playtesters", [
  option("automatic", "First come, first served", form.selection ?? "automatic"),
  option("manual", "They apply, and you choose", form.selection),
])}
${zone && html`${timeInputs(context, { label: html`Fixed date and time <span class="soft">(optional)</span>`, ...zone })}<p class="soft">With a fixed time, all play at once. It must be 12 hours to 90 days ahead.</p>`}
${long("qualifications", "qualifications", "Requirements", "optional; shown with the offer", 2000)}
${long("notes", "notes", "Notes for playtesters", "optional; shown when they take part", 5000)}
${long("keys", "keys", "Game keys", "optional; one in a line, for each player of each slot", 200_000)}
<label for="ref">Your name for the order <span class="soft">(optional; the same name is not ordered twice)</span></label>
<input id="ref" name="ref" autocomplete="off" maxlength="100" value="${form.ref}"${marked(context, "ref")}>${fault(context, "ref")}
${
  site.payments &&
  select("method", "method", "How to pay", [
    option("any", "With playtest hours if they are enough, otherwise with credit", methodOf(form)),
    option("hours", "With playtest hours", methodOf(form)),
    option("credit", "With credit", methodOf(form)),
    ...(site.cards ? [option("card", "By card", methodOf(form))] : []),
  ])
}`;

  function long(id: string, name: string, label: string, hint: string, max: number): Markup {
    return html`<label for="${id}">${label} <span class="soft">(${hint})</span></label>
<textarea id="${id}" name="${name}" class="short" maxlength="${max}"${marked(context, id)}>${form[name]}</textarea>${fault(context, id)}`;
  }
}
