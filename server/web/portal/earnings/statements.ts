import { portal } from "../../../../src/contract/pages/addresses.ts";
import { csvLine, escapeFormula } from "../../../../src/contract/text/csv.ts";
import { periodName } from "../../../../src/contract/time/period.ts";
import { usd } from "../../../lib/money.ts";
import { html, type Markup, type PageContent } from "../../html.ts";
import { signedInLayout } from "../layout.ts";
import type { Download, PageContext, PortalHost, PortalPage, Statement } from "../types.ts";

const pad = (n: number) => String(n).padStart(2, "0");

/** The month before or after `2026-10`. */
function monthBeside(month: string, step: 1 | -1): string {
  const date = new Date(`${month}-01T00:00:00Z`);
  date.setUTCMonth(date.getUTCMonth() + step);
  return `${date.getUTCFullYear()}-${pad(date.getUTCMonth() + 1)}`;
}

/** The month or year that was asked for, or the current month. */
function queryOf({ query, now }: PageContext): { month: string } | { year: string } {
  const [month, year] = [query.get("month") ?? "", query.get("year") ?? ""];
  if (/^20\d\d$/.test(year)) return { year };
  return { month: /^20\d\d-(0[1-9]|1[0-2])$/.test(month) ? month : new Date(now).toISOString().slice(0, 7) };
}

/** `/play/earnings/statement`: earnings and payouts of a month or year. */
async function statementPage(context: PageContext): Promise<PageContent> {
  const { statement } = (await context.call("getStatement", { query: queryOf(context) })).data;
  const { createdAt } = (await context.call("getMe")).data;
  const { period } = statement;
  const asked = `${period.length === 4 ? "year" : "month"}=${period}`;
  const line = (label: string, cents: number) => html`<tr><td>${label}</td><td class="money">${usd(cents)}</td></tr>`;
  const body = html`${beside(period, createdAt, context.now)}
<table><thead><tr><th scope="col">Balance</th><th scope="col" class="money">Amount</th></tr></thead><tbody>
${line("At the beginning", statement.beginCents)}${line("Earned", statement.earnedCents)}${line("Less payouts", statement.paidCents)}
${statement.returnedCents > 0 && line("Failed payouts, returned", statement.returnedCents)}
<tr><td><strong>At the end</strong></td><td class="money"><strong>${usd(statement.endCents)}</strong></td></tr></tbody></table>
${statement.heldCents > 0 && html`<p class="soft">${usd(statement.heldCents)} of it was held at the end because it may come from card payments.</p>`}
${payouts(statement)}<h2>Earned by game</h2>${games(statement)}
<p class="more">Download as <a href="${pdf()}?${asked}" download>PDF</a> or <a href="${csv.at()}?${asked}" download>CSV</a> · <a href="${portal.earnings()}">Back to your earnings</a></p>`;
  return signedInLayout(context, "earnings", { title: `Statement of ${periodName(period)}`, body });
}

/** Links to the months or years before and after, from the one in which the account was created to the present one. */
function beside(period: string, createdAt: string, now: number): Markup {
  const today = new Date(now).toISOString();
  const at = (key: "month" | "year", value: string) =>
    value >= createdAt.slice(0, value.length) &&
    value <= today &&
    html`<li><a href="${portal.statement()}?${key}=${value}">${periodName(value)}</a></li>`;
  const year = Number(period.slice(0, 4));
  if (period.length === 4) return html`<ul class="choice">${at("year", String(year - 1))}${at("year", String(year + 1))}</ul>`;
  return html`<ul class="choice">${at("month", monthBeside(period, -1))}${at("month", monthBeside(period, 1))}${at("year", String(year))}</ul>`;
}

const payouts = ({ payouts: made }: Statement): Markup | false =>
  made.length > 0 &&
  html`<h2>Payouts</h2><table><thead><tr><th scope="col">Date</th><th scope="col">Reference</th><th scope="col" class="money">Amount</th></tr></thead>
<tbody>${made.map(
    ({ kind, at, reference, payoutId, paidTo, amountCents }) =>
      html`<tr><td>${at.slice(0, 10)}</td><td>${reference ?? payoutId}${kind === "returned" ? html` <span class="soft">failed and returned to the balance</span>` : paidTo !== null && html` <span class="soft">to ${paidTo}</span>`}</td><td class="money">${usd(kind === "returned" ? -amountCents : amountCents)}</td></tr>`,
  )}</tbody></table>`;

const games = ({ games: earned }: Statement): Markup =>
  earned.length === 0
    ? html`<p>Nothing was earned in this time.</p>`
    : html`<table><thead><tr><th scope="col">Game</th><th scope="col">Playtests</th><th scope="col" class="money">Amount</th></tr></thead>
<tbody>${earned.map(({ name, slots, amountCents }) => html`<tr><td>${name}</td><td>${slots}</td><td class="money">${usd(amountCents)}</td></tr>`)}</tbody></table>`;

const amount = (cents: number) => (cents / 100).toFixed(2);

function payoutCells({ kind, at, reference, payoutId, amountCents }: Statement["payouts"][number]): string[] {
  const [what, cents] = kind === "made" ? ["payout", -amountCents] : ["failed payout, returned", amountCents];
  return [what, "", "", at.slice(0, 10), escapeFormula(reference ?? payoutId), amount(cents)];
}

const csv = {
  at: portal.earnings.below("statement.csv"),
  async download(context: PageContext): Promise<Download> {
    const { statement } = (await context.call("getStatement", { query: queryOf(context) })).data;
    const rows = [
      ["kind", "game", "playtests", "date", "reference", "amount"],
      ["balance at the beginning", "", "", "", "", amount(statement.beginCents)],
      ...statement.games.map((one) => ["earned", escapeFormula(one.name), String(one.slots), "", "", amount(one.amountCents)]),
      ...statement.payouts.map(payoutCells),
      ["balance at the end", "", "", "", "", amount(statement.endCents)],
      ["held at the end", "", "", "", "", amount(statement.heldCents)],
    ];
    const body = rows.map(csvLine).join("");
    return { filename: `statement-${statement.period}.csv`, contentType: "text/csv; charset=utf-8", body };
  },
};

const pdf = portal.earnings.below("statement.pdf");

async function printed(context: PageContext, print: PortalHost["printStatement"]): Promise<Download> {
  const { statement } = (await context.call("getStatement", { query: queryOf(context) })).data;
  const { email } = (await context.call("getMe")).data;
  const payee = (await context.call("getPayoutDetails")).data.details;
  const body = await print(statement, { name: context.session.displayName, email, payee });
  return { filename: `statement-${statement.period}.pdf`, contentType: "application/pdf", body };
}

export const statement = ({ printStatement }: PortalHost): PortalPage => ({
  at: portal.statement,
  view: statementPage,
  files: [csv, { at: pdf, download: (context) => printed(context, printStatement) }],
});
