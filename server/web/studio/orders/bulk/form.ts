import { pays } from "../../../../../src/contract/bulk/plan.ts";
import { pages, studio } from "../../../../../src/contract/pages/addresses.ts";
import { html, type Markup } from "../../../html.ts";
import { tokens } from "../../../shared/parts.ts";
import type { Form } from "../../../types.ts";
import type { Game } from "../../games/listed.ts";
import { commandButton } from "../../parts.ts";
import { commandLine } from "../../review/commands.ts";
import type { StudioContext } from "../../types.ts";
import { payIn } from "./plan.ts";
import { mostRows, type Source } from "./source.ts";

/** The form that takes a file or a pasted table, and orders what was planned. */

export interface BulkForm {
  games: readonly Game[];
  /** Stands below them. */
  others: Markup | false;
  /** What was read; it stands in the field for text, where it can be corrected. */
  source: Source | undefined;
  /** The plan that the button orders; without a label, nothing can be ordered. */
  plan: { label?: string; fields: object; isShortLived: boolean } | undefined;
  check: string;
  place: string;
}

const payLabels = {
  any: "With playtest hours if they are enough, otherwise with credit",
  hours: "With playtest hours",
  credit: "With credit",
} as const;

const option = (value: string, label: string, isChosen: boolean): Markup =>
  html`<option value="${value}"${isChosen && html` selected`}>${label}</option>`;

/** The command that orders the same rows. */
const bulkCommand = (form: Form, name: string, games: BulkForm["games"]): string =>
  commandLine(`playtest bulk ${commandLine("", [["", name]]).trim()}`, [
    ["--game", form.gameId || (games.length === 1 ? games[0]!.id : undefined)],
    ["--batch", form.batch?.trim()],
    ["--ignore-columns", form.ignore?.trim()],
    ["--pay", payIn(form) === "any" ? undefined : payIn(form)],
    ["--max-cost", form.limit?.trim()],
  ]);

export function bulkForm(context: StudioContext, { games, others, source, plan, check, place }: BulkForm): Markup {
  const { site } = context;
  // The page of a game leads here.
  const form: Form = { ...context.form, gameId: context.form.gameId ?? context.query.get("game") ?? undefined };
  const name = source?.name ?? form.name ?? "";
  const text = source?.text ?? form.text ?? "";
  const hidden = Object.entries({ name, ...plan?.fields }).map(
    ([field, value]) => html`<input type="hidden" name="${field}" value="${value}" autocomplete="off">`,
  );
  const pay = html`<label for="pay">How to pay</label><select id="pay" name="pay">${pays.map((one) => option(one, payLabels[one], one === payIn(form)))}</select>`;
  const limit =
    site.payments &&
    html`<label for="limit">Limit <span class="soft">(optional; the most that all rows together may cost, in dollars)</span></label>
<input id="limit" name="limit" inputmode="decimal" autocomplete="off" maxlength="20" value="${form.limit}">`;
  const orders = plan?.label !== undefined && html`${limit}<p><button formaction="${place}">${plan.label}</button></p>`;
  const isChosen =
    (games.length > 1 && form.gameId) || form.batch || form.ignore || (!orders && form.limit) || payIn(form) !== "any";
  return html`<form method="post" action="${check}" enctype="multipart/form-data" id="bulk">${tokens(context)}${hidden}
<button hidden></button>
${orders}${plan?.isShortLived && html`<p class="soft">This server knows rows without a ref for 24 hours. After that, the same rows are ordered again. A ref is a name of your own in a column <code>ref</code>: a server that keeps refs orders such a row once.</p>`}
<label for="file">File <span class="soft">(CSV, JSON or JSON Lines, with up to ${mostRows} rows)</span></label>
<input id="file" name="file" type="file" accept=".csv,.tsv,.txt,.json,.ndjson,.jsonl">
<label for="text">Or its text <span class="soft">(also a table copied from a spreadsheet; the first row names the columns)</span></label>
<textarea id="text" name="text" class="rows-text" spellcheck="false" wrap="off" placeholder="quantity,durationMinutes,notesForTesters,ref">
${text}</textarea>
<details${isChosen && html` open`}><summary>Options</summary>
<label for="game">Game of rows without one</label>
<select id="game" name="gameId">${games.length > 1 && option("", "None: each row names its game", !form.gameId)}${games.map((game) => option(game.id, game.name, game.id === form.gameId))}</select>${others}
<label for="batch">Batch <span class="soft">(optional; a name for this round: the same rows in another batch are new orders)</span></label>
<input id="batch" name="batch" autocomplete="off" maxlength="50" value="${form.batch}">
<label for="ignore">Columns to leave out <span class="soft">(optional; separated by commas)</span></label>
<input id="ignore" name="ignore" autocomplete="off" maxlength="1000" value="${form.ignore}">
${site.payments && pay}${!orders && limit}</details>
<button${plan && html` class="quiet"`}>${plan ? "Check again" : "Check the rows"}</button></form>
${commandButton(context, bulkCommand(form, name || `orders.${source?.format ?? "csv"}`, games))}
<p class="soft"><a href="${pages.topic("bulk")}">The columns that a file may have</a>. <a href="${studio.order()}">Order one playtest</a> instead.</p>`;
}
