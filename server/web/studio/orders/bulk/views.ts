import type { Fault } from "../../../../../src/contract/bulk/columns.ts";
import { type Planned, planText, sumText } from "../../../../../src/contract/bulk/plan.ts";
import { faultsOf } from "../../../../../src/contract/bulk/read.ts";
import type { Done, Failure } from "../../../../../src/contract/bulk/send.ts";
import { studio } from "../../../../../src/contract/pages/addresses.ts";
import { usd } from "../../../../lib/money.ts";
import { html, type Markup } from "../../../html.ts";
import { withCode } from "../../../shared/parts.ts";
import { timeIn } from "../../../shared/text.ts";
import { playtestBadge, plural, shortId } from "../../parts.ts";
import type { StudioContext } from "../../types.ts";
import type { Refusal } from "./place.ts";
import type { Ready } from "./plan.ts";

/** How the errors, the plan and the result of a file with orders look. */

/** Names of the games of rows, by their ids. */
export type GameNames = ReadonlyMap<string, string>;

export function faultList(faults: readonly Fault[], file: string): Markup {
  const { message, details } = faultsOf(faults, file);
  return html`<p>${message}</p><ul>${details.map((one) => html`<li>${one.field}: ${withCode(one.message)}</li>`)}</ul>`;
}

/** `money`: the name of the last column, if there is one with amounts. */
const table = (head: readonly string[], money: string | false, rows: readonly Markup[]): Markup =>
  html`<div class="scroll" tabindex="0" role="group" aria-label="Rows"><table><thead><tr>${head.map((cell) => html`<th scope="col">${cell}</th>`)}${money && html`<th scope="col" class="money">${money}</th>`}</tr></thead><tbody>${rows}</tbody></table></div>`;

const hasRefs = (rows: readonly Planned[]) => rows.some(({ ref }) => ref !== undefined);

/** The line, the ref and the game of a row. */
const rowStart = ({ line, ref, game }: Planned, names: GameNames, withRefs: boolean): Markup =>
  html`<th scope="row">${line}</th>${withRefs && html`<td>${ref}</td>`}<td>${names.get(game) ?? shortId(game)}</td>`;
const headStart = (withRefs: boolean) => ["Line", ...(withRefs ? ["Ref"] : []), "Game"];

/** The last cell of a row, where the server takes payments. */
const moneyCell = ({ site }: StudioContext, paid: { cents: number; minutes: number } | undefined): Markup | false =>
  site.payments && html`<td class="money">${paid && sumText(paid.cents, paid.minutes, usd)}</td>`;

const paidWith = { hours: "with playtest hours", credit: "with credit" } as const;

/** What a row costs and how it is paid when the plan is ordered. */
function planCell({ site }: StudioContext, { ordered }: Ready, row: Planned): Markup {
  const before = ordered.get(row.key);
  if (before)
    return html`<a href="${studio.playtest(before.playtestId)}">Ordered before<span class="hidden">: line ${row.line}</span></a>`;
  if (!site.payments) return html`To order`;
  if (row.payWith === "free") return html`Free`;
  const how = row.payWith === undefined ? "not covered" : paidWith[row.payWith];
  return html`${sumText(row.cents, row.minutes, usd)}<br><span class="soft">${how}</span>`;
}

export const planSentence = ({ site }: StudioContext, { plan }: Ready): string =>
  planText(plan, { usd, withoutPayments: !site.payments });

/** How much is played, and when. */
const sizeOf = ({ order: { quantity, durationMinutes, scheduledAt } }: Planned, zone: string | null): Markup =>
  html`${quantity} × ${durationMinutes} min${scheduledAt && html`<br><span class="soft">${timeIn(scheduledAt, zone)}</span>`}`;

/** `zone`: where fixed times are told. */
export function planTable(
  context: StudioContext,
  ready: Ready,
  { names, zone }: { names: GameNames; zone: string | null },
): Markup {
  const withRefs = hasRefs(ready.rows);
  const rows = ready.rows.map(
    (row) =>
      html`<tr>${rowStart(row, names, withRefs)}<td>${sizeOf(row, zone)}</td><td class="money">${planCell(context, ready, row)}</td></tr>`,
  );
  return table([...headStart(withRefs), "Slots"], context.site.payments ? "Cost" : "State", rows);
}

/** What the button orders: `Order 3 playtests for $160.00`. Undefined where nothing can be ordered. */
export function buttonLabel({ site }: StudioContext, { plan }: Ready): string | undefined {
  const covered = plan.rows.length - plan.beyond;
  if (covered === 0) return undefined;
  const first = plan.beyond > 0 ? "the first " : "";
  const price = site.payments && plan.cents + plan.minutes > 0 ? ` for ${sumText(plan.cents, plan.minutes, usd)}` : "";
  return `Order ${first}${plural(covered, "playtest")}${price}`;
}

/** What to do about rows that the funds do not cover. */
export const shortage = ({ plan }: Ready): Markup | false =>
  plan.beyond > 0 && html`<p><a href="${studio.billing()}#credit">Add credit</a>, then check the same rows again.</p>`;

export interface Outcomes {
  done: readonly Done[];
  failed: readonly Failure<Refusal>[];
}

export function resultTable(
  context: StudioContext,
  rows: readonly Planned[],
  { done, failed }: Outcomes,
  names: GameNames,
): Markup {
  const withRefs = hasRefs(rows);
  const doneBy = new Map(done.map((one) => [one.row.key, one]));
  const failedBy = new Map(failed.map(({ row, error }) => [row.key, error]));

  function outcome(row: Planned): Markup {
    const placed = doneBy.get(row.key);
    const refusal = failedBy.get(row.key);
    if (placed)
      return html`<a href="${studio.playtest(placed.playtestId)}">${placed.skipped ? "Already ordered" : "Ordered"}<span class="hidden">: line ${row.line}</span></a> ${placed.status !== "active" && playtestBadge(placed.status)}`;
    return refusal ? html`<span class="bad">Not ordered: ${withCode(refusal.message)}</span>` : html`Not tried`;
  }

  function paid(row: Planned) {
    const placed = doneBy.get(row.key);
    return placed?.skipped ? undefined : placed;
  }

  return table(
    [...headStart(withRefs), "Result"],
    context.site.payments && "Paid",
    rows.map((row) => html`<tr>${rowStart(row, names, withRefs)}<td>${outcome(row)}</td>${moneyCell(context, paid(row))}</tr>`),
  );
}
