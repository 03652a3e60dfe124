import type { Data } from "../../../../src/contract/index.ts";
import { studio } from "../../../../src/contract/pages/addresses.ts";
import { howToPay } from "../../../billing/rules.ts";
import { usd } from "../../../lib/money.ts";
import { html, type Markup, type PageContent } from "../../html.ts";
import { cardCredit, leastDollars } from "../../shared/amounts.ts";
import { ifOffered } from "../../shared/not-offered.ts";
import { cursorOf, fault, marked, more, notice, tokens, withCode } from "../../shared/parts.ts";
import { studioLayout } from "../layout.ts";
import { plural } from "../parts.ts";
import type { StudioContext, StudioPage } from "../types.ts";
import { addCredit, cryptoActions, cryptoForm } from "./credit.ts";
import { invoicesOf, paymentRow } from "./payments.ts";
import { subscriptionActions, subscriptionSection } from "./subscription.ts";

const said = new Map([
  ["credit", "Thank you. What you paid is shown below."],
  ["cancelled", "The plan ends with its period. It is not charged again."],
  ["ended", "The plan has ended. It is not charged again."],
  ["resumed", "The plan renews again."],
  ["crypto", "The payment was received and added to your credit."],
]);

/** `/studio/billing`: what the account has, how to add to it, and what was paid. */
async function billingPage(context: StudioContext): Promise<PageContent> {
  const { call, query, site } = context;
  const [balance, payments, subscription, plans, spending, invoices] = await Promise.all([
    call("getBalance"),
    call("listPayments", { query: { cursor: cursorOf(context) } }),
    call("getSubscription"),
    call("listPlans"),
    ifOffered(call("getSpending", { query: { since: new Date(context.now - yearMs).toISOString() } })),
    invoicesOf(context),
  ]);
  const done = said.get(query.get("done") ?? "");
  const { data, meta } = payments;
  const body = html`${done && query.get("status") !== "cancelled" && notice(done)}
${totals(balance.data)}
${site.payments ? creditSection(context) : html`<p>This server runs without payments. New playtests cost nothing.</p>`}
${site.payments && subscriptionSection(context, subscription.data, plans.data)}
<section id="payments"><h2>Payments</h2>
${data.payments.length > 0 ? html`<ul class="rows">${data.payments.map((one) => paymentRow(context, one))}</ul>${more(studio.billing(), meta.cursor)}` : html`<p>No payments yet.</p>`}</section>
${invoices}
${spending && months(spending.data)}
<p class="more"><a href="${studio.approvals()}">Budgets of API keys</a>${context.account.instance === null && html` · <a href="${studio.account()}#invoices">What stands on your invoices</a>`}</p>`;
  return studioLayout(context, "billing", { title: "Billing", body });
}

const yearMs = 365 * 86_400_000;

const totals = ({ balanceCents, playtestMinutes }: Data<"getBalance">): Markup =>
  html`<div class="totals"><p><span class="soft">Credit</span><br><span class="amount">${usd(balanceCents)}</span></p><p><span class="soft">Playtest hours</span><br><span class="amount">${(playtestMinutes / 60).toFixed(1)}</span></p></div>`;

function creditSection(context: StudioContext): Markup {
  const { site, form } = context;
  const canPay = site.cards || site.crypto.length > 0 || context.account.instance !== null;
  if (!canPay) return html`<section id="credit"><h2>Add credit</h2><p>${withCode(howToPay("credit", site.crypto))}</p></section>`;
  const cards = site.cards || context.account.instance !== null;
  return html`<section id="credit"><h2>Add credit</h2>
${
  cards &&
  html`<form method="post" action="${addCredit.at()}">${tokens(context)}
<label for="amount">Amount <span class="soft">(in dollars, at least ${leastDollars(cardCredit)})</span></label>
<input id="amount" name="amountCents" inputmode="decimal" autocomplete="off" maxlength="20" value="${form.amountCents ?? "50"}" required${marked(context, "amount")}>
${fault(context, "amount")}
<button>Pay by card</button></form>`
}
${site.crypto.length > 0 && cryptoForm(context)}</section>`;
}

/** What playtests cost in the last year, by month. */
function months({ months: all }: Data<"getSpending">): Markup | false {
  const rows = all.filter(({ spentCents, spentMinutes }) => spentCents + spentMinutes > 0).reverse();
  if (rows.length === 0) return false;
  const amount = (cents: number, minutes: number) =>
    minutes === 0 ? usd(cents) : cents === 0 ? plural(minutes, "minute") : `${usd(cents)} and ${plural(minutes, "minute")}`;
  return html`<section><h2>Spent by month</h2>
<table><thead><tr><th scope="col">Month</th><th scope="col" class="money">For accepted and rejected videos</th></tr></thead>
<tbody>${rows.map((one) => html`<tr><td>${one.month}</td><td class="money">${amount(one.spentCents, one.spentMinutes)}</td></tr>`)}</tbody></table>
<p class="more"><a href="${studio.stats()}?days=365">By game</a></p></section>`;
}

export const billing: StudioPage = {
  at: studio.billing,
  view: billingPage,
  actions: [addCredit, ...cryptoActions, ...subscriptionActions],
};
