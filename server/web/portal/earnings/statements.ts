import { portal } from "../../../../src/contract/pages/addresses.ts";
import { csvLine, escapeFormula } from "../../../../src/contract/text/csv.ts";
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
  const { period } = statement;
  const asked = `${period.length === 4 ? "year" : "month"}=${period}`;
  const line = (label: string, cents: number) => html`<tr><td>${label}</td><td class="money">${usd(cents)}</td></tr>`;
  const body = html`${beside(period, context.now)}
<table><thead><tr><th scope="col">Balance</th><th scope="col" class="money">Amount</th></tr></thead><tbody>
${line("At the beginning", statement.beginCents)}${line("Earned", statement.earnedCents)}${line("Payouts made", -statement.paidCents)}
${statement.returnedCents > 0 && line("Failed payouts, returned", statement.returnedCents)}
<tr><td><strong>At the end</strong></td><td class="money"><strong>${usd(statement.endCents)}</strong></td></tr></tbody></table>
${statement.heldCents > 0 && html`<p class="soft">${usd(statement.heldCents)} of it was held at the end because it may come from card payments.</p>`}
<h2>Earned by game</h2>${games(statement)}
<p class="more">Download as <a href="${pdf()}?${asked}" download>PDF</a> or <a href="${csv.at()}?${asked}" download>CSV</a> · <a href="${portal.earnings()}">Back to your earnings</a></p>`;
  return signedInLayout(context, "earnings", { title: `Statement ${period}`, body });
}

/** Links to the months or years before and after; none to what has not begun. */
function beside(period: string, now: number): Markup {
  const today = new Date(now).toISOString();
  const at = (key: "month" | "year", value: string) =>
    value <= today && html`<li><a href="${portal.statement()}?${key}=${value}">${value}</a></li>`;
  const year = Number(period.slice(0, 4));
  if (period.length === 4) return html`<ul class="choice">${at("year", String(year - 1))}${at("year", String(year + 1))}</ul>`;
  return html`<ul class="choice">${at("month", monthBeside(period, -1))}${at("month", monthBeside(period, 1))}${at("year", String(year))}</ul>`;
}

const games = ({ games: earned }: Statement): Markup =>
  earned.length === 0
    ? html`<p>Nothing was earned in this time.</p>`
    : html`<table><thead><tr><th scope="col">Game</th><th scope="col">Playtests</th><th scope="col" class="money">Amount</th></tr></thead>
<tbody>${earned.map(({ name, slots, amountCents }) => html`<tr><td>${name}</td><td>${slots}</td><td class="money">${usd(amountCents)}</td></tr>`)}</tbody></table>`;

const amount = (cents: number) => (cents / 100).toFixed(2);

const csv = {
  at: portal.earnings.below("statement.csv"),
  async download(context: PageContext): Promise<Download> {
    const { statement } = (await context.call("getStatement", { query: queryOf(context) })).data;
    const rows = [
      ["kind", "game", "playtests", "amount"],
      ["balance at the beginning", "", "", amount(statement.beginCents)],
      ...statement.games.map((one) => ["earned", escapeFormula(one.name), String(one.slots), amount(one.amountCents)]),
      ["payouts made", "", "", amount(-statement.paidCents)],
      ["failed payouts, returned", "", "", amount(statement.returnedCents)],
      ["balance at the end", "", "", amount(statement.endCents)],
      ["held at the end", "", "", amount(statement.heldCents)],
    ];
    const body = rows.map(csvLine).join("");
    return { filename: `statement-${statement.period}.csv`, contentType: "text/csv; charset=utf-8", body };
  },
};

const pdf = portal.earnings.below("statement.pdf");

async function printed(context: PageContext, print: PortalHost["printStatement"]): Promise<Download> {
  const { statement } = (await context.call("getStatement", { query: queryOf(context) })).data;
  const { email } = (await context.call("getMe")).data;
  const body = await print(statement, { name: context.session.displayName, email });
  return { filename: `statement-${statement.period}.pdf`, contentType: "application/pdf", body };
}

export const statement = ({ printStatement }: PortalHost): PortalPage => ({
  at: portal.statement,
  view: statementPage,
  files: [csv, { at: pdf, download: (context) => printed(context, printStatement) }],
});
