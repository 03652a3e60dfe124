import type { Data } from "../../../../src/contract/index.ts";
import { portal } from "../../../../src/contract/pages/addresses.ts";
import { usd } from "../../../lib/money.ts";
import { html, type Markup, type PageContent } from "../../html.ts";
import { cursorOf, more } from "../../shared/parts.ts";
import { time } from "../../shared/text.ts";
import { signedInLayout } from "../layout.ts";
import type { PageContext, PortalPage } from "../types.ts";

type Entry = Data<"getEarnings">["entries"][number];

/** `/play/earnings`: what a playtester earned and what was paid out. */
async function earningsPage(context: PageContext): Promise<PageContent> {
  const { data, meta } = await context.call("getEarnings", { query: { cursor: cursorOf(context) } });
  const off = html`<p>This server runs without payments: new playtests earn nothing.${data.balanceCents > 0 && " What you earned before is still owed to you."}</p>`;
  if (!context.site.payments && data.entries.length === 0)
    return signedInLayout(context, "earnings", { title: "Earnings", body: off });
  const { details } = (await context.call("getPayoutDetails")).data;
  const table = html`<table><thead><tr><th scope="col">Date</th><th scope="col">Description</th><th scope="col" class="money">Amount</th></tr></thead>
<tbody>${data.entries.map(row)}</tbody></table>`;
  const none = html`<p>No earnings yet. You earn what a playtest pays when its owner accepts your video or, if it will be public, when it is published.</p>`;
  const body = html`${!context.site.payments && off}<div class="totals"><div><p class="amount">${usd(data.balanceCents)}</p><p class="soft">current balance</p></div>
<div><p class="amount">${usd(data.paidCents)}</p><p class="soft">total paid out</p></div>
${data.pendingCents > 0 && html`<div><p class="amount">${usd(data.pendingCents)}</p><p class="soft">on the way to you</p></div>`}</div>
${destination(details, data.balanceCents)}${held(data)}${onHold(data)}<p><a href="${portal.statement()}">Monthly and yearly statements</a></p>
${data.entries.length > 0 ? table : none}${more(portal.earnings(), meta.cursor)}`;
  return signedInLayout(context, "earnings", { title: "Earnings", body });
}

export const earnings: PortalPage = { at: portal.earnings, view: earningsPage };

type Details = Data<"getPayoutDetails">["details"];

function paidBy({ method, masked }: NonNullable<Details>): string {
  if (method === "bank") return `Paid to your bank account ${masked}`;
  return method === "paypal" ? `Paid by PayPal to ${masked}` : "Paid in the way you described";
}

/** Where the playtester is paid, or what is missing for that. */
function destination(details: Details, balanceCents: number): Markup {
  if (details === null)
    return balanceCents > 0
      ? html`<p class="note bad">The operator's payout batches skip you: there are no payout details. <a href="${portal.payoutDetails()}">Enter where you want to be paid</a></p>`
      : html`<p><a href="${portal.payoutDetails()}">Enter where you want to be paid</a></p>`;
  return html`<p>${paidBy(details)}${details.usableFrom !== null && html` <span class="soft">from ${time(details.usableFrom)}, because these details are new</span>`}. <a href="${portal.payoutDetails()}">Change</a></p>`;
}

const held = ({ heldCents, heldUntil }: Data<"getEarnings">): Markup =>
  heldUntil === null
    ? html``
    : html`<p>${usd(heldCents)} of your balance may come from card payments, which can still be disputed, and is held for now. All of it is available from ${time(heldUntil)}.</p>`;

const onHold = ({ disputedCents }: Data<"getEarnings">): Markup =>
  disputedCents === 0
    ? html``
    : html`<p>${usd(disputedCents)} of your balance is on hold because the payment is disputed. It is available when the dispute has ended.</p>`;

const row = (entry: Entry): Markup =>
  html`<tr><td>${time(entry.createdAt)}</td><td>${what(entry)}${entry.availableFrom !== null && html` <span class="soft">held until ${time(entry.availableFrom)}, because a card payment can still be disputed</span>`}${entry.disputed && html` <span class="soft">on hold because the payment is disputed</span>`}</td><td class="money">${usd(entry.amountCents)}</td></tr>`;

const payoutTexts = { pending: "on the way", failed: "failed" };

function what({ slotId, amountCents, gameName, durationMinutes, payoutStatus, paidTo, failure }: Entry): Markup {
  if (slotId !== null) return html`<a href="${portal.slot(slotId)}">${gameName}</a>, ${durationMinutes} minutes`;
  const to = paidTo !== null && ` to ${paidTo}`;
  if (amountCents > 0) return html`Failed payout, returned to your balance${failure !== null && `: ${failure}`}`;
  return html`Payout${to}${payoutStatus !== null && payoutStatus !== "completed" && html` <span class="soft">${payoutTexts[payoutStatus]}</span>`}`;
}
