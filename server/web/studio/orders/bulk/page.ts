import { neededText } from "../../../../../src/contract/bulk/plan.ts";
import { countsOf, countsText, type Tally } from "../../../../../src/contract/bulk/send.ts";
import type { Data } from "../../../../../src/contract/index.ts";
import { Refused } from "../../../../../src/contract/input/refused.ts";
import { centsOf } from "../../../../../src/contract/money/amount.ts";
import { studio } from "../../../../../src/contract/pages/addresses.ts";
import { usd } from "../../../../lib/money.ts";
import { html, type Markup, type PageContent } from "../../../html.ts";
import { alert, notice, withCode } from "../../../shared/parts.ts";
import { zoneFor } from "../../../shared/zone.ts";
import { noBuildUrl } from "../../games/form.ts";
import { gamesFor, orderElsewhere } from "../../games/listed.ts";
import { studioLayout } from "../../layout.ts";
import { plural, trail } from "../../parts.ts";
import { action, type StudioContext, type StudioPage } from "../../types.ts";
import { type BulkForm, bulkForm } from "./form.ts";
import { placeRows, type Refusal } from "./place.ts";
import { changeSince, missingFor, type Ready, readPlan } from "./plan.ts";
import { type Source, sourceOf } from "./source.ts";
import { buttonLabel, faultList, type GameNames, planSentence, planTable, resultTable, shortage } from "./views.ts";

type Game = Data<"getGame">["game"];

const title = "Order playtests from a file";

/** `/studio/order/bulk`: a playtest for each row of a file or of a pasted table, as `playtest bulk` orders them. */
const bulkPage = (context: StudioContext): Promise<PageContent> => shown(context, {});

/** What stands above the form, and the form as it was filled in. */
async function shown(
  context: StudioContext,
  { above, source, plan, status = 200 }: { above?: Markup; source?: Source; plan?: BulkForm["plan"]; status?: number },
): Promise<PageContent> {
  const { games, others } = await gamesFor(context, orderElsewhere);
  const body =
    games.length === 0
      ? html`<p class="calm">No games yet.</p><p><a class="button" href="${studio.newGame()}">Create a game</a> first, then order playtests of it.</p>`
      : html`${above}${bulkForm(context, { games, others, source, plan, check: check.at(), place: place.at() })}`;
  const page = { title: status === 200 ? title : `Error: ${title}`, heading: title, status, body };
  return studioLayout(context, "games", page);
}

/** The games of a plan's rows. */
async function gamesOf({ call }: StudioContext, { rows }: Ready): Promise<Game[]> {
  const ids = [...new Set(rows.map(({ game }) => game))];
  return Promise.all(ids.map(async (id) => (await call("getGame", { params: { id } })).data.game));
}

const namesOf = (games: readonly Game[]): GameNames => new Map(games.map(({ id, name }) => [id, name]));

/** Says which of the games have no build, which nobody could play. */
const withoutBuild = (context: StudioContext, games: readonly Game[]): Markup[] =>
  games
    .filter(({ buildUrl }) => buildUrl === noBuildUrl(context))
    .map(
      ({ id, name }) =>
        html`<p class="note bad">${name} has no build yet. <a href="${studio.builds(id)}">Upload one</a> before you order.</p>`,
    );

const refused = (context: StudioContext, source: Source | undefined, what: Markup) =>
  shown(context, { above: alert(what), status: 422, ...(source && { source }) });

/** Reads what was chosen or pasted. What is wrong with it stands above the form, in which it can be corrected. */
async function withPlan(
  context: StudioContext,
  use: (ready: Ready) => Promise<PageContent>,
  asShown = false,
): Promise<PageContent> {
  let source: Source | undefined;
  try {
    source = sourceOf(context.form);
    const read = await readPlan(context, source, asShown);
    if ("faults" in read) return await refused(context, source, faultList(read.faults, source.file));
    return await use(read);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return refused(context, source, html`<p>${error.message}${error.hint && html` ${withCode(error.hint)}`}</p>`);
  }
}

/** The most that all rows together may cost, in cents. */
function limitIn({ form }: StudioContext): number | undefined {
  const text = form.limit?.trim() ?? "";
  if (text === "") return undefined;
  const cents = centsOf(text);
  if (cents !== undefined) return cents;
  throw new Refused(`The limit ${JSON.stringify(text)} is no amount in dollars, such as 20 or 20.50. Nothing was ordered.`);
}

/** Why a plan may not be ordered: it costs more than the owner allows. */
function aboveLimit({ plan: { cents } }: Ready, limit: number | undefined): string | undefined {
  if (limit === undefined || cents <= limit) return undefined;
  return `The rows cost ${usd(cents)}, which is more than the limit of ${usd(limit)}. Nothing was ordered.`;
}

/** The plan with its button. `why`: what kept it from being ordered. */
async function planned(context: StudioContext, ready: Ready, why?: string): Promise<PageContent> {
  const { source, notes, plan, shown: fields } = ready;
  const sentence =
    plan.rows.length === 0 ? "Every row was ordered before. Nothing is left to order." : planSentence(context, ready);
  const games = await gamesOf(context, ready);
  const unbuilt = withoutBuild(context, games);
  const zone = await zoneFor(
    context,
    ready.rows.map(({ order }) => order.scheduledAt),
  );
  const above = html`${why ? alert(why) : notice(sentence)}${why && html`<p>${sentence}</p>`}
${notes.map((note) => html`<p class="note">${withCode(note)}</p>`)}
${unbuilt}${shortage(ready)}
${planTable(context, ready, { names: namesOf(games), zone })}`;
  const label = unbuilt.length === 0 ? buttonLabel(context, ready) : undefined;
  const isShortLived = plan.rows.some(({ orderRef }) => orderRef === undefined || !ready.keepsRefs);
  return shown(context, { above, source, plan: { fields, isShortLived, ...(label !== undefined && { label }) } });
}

const check = action({ at: studio.bulkOrder.below("check") }, (context) =>
  withPlan(context, (ready) => planned(context, ready, aboveLimit(ready, limitIn(context)))),
);

/** Orders the plan that the page showed. If anything changed since, the plan of now is shown instead. */
async function order(context: StudioContext, ready: Ready): Promise<PageContent> {
  const change = changeSince(context, ready);
  const why = `${change} Nothing was ordered. This is the plan now:`;
  if (change !== undefined) return withPlan(context, (now) => planned(context, now, why));
  const limit = limitIn(context);
  const above = aboveLimit(ready, limit);
  if (above !== undefined) return planned(context, ready, above);
  const names = namesOf(await gamesOf(context, ready));
  return placed(context, ready, { tally: await placeRows(context, ready, limit), limit, names });
}

const place = action({ at: studio.bulkOrder.below("place") }, (context) =>
  withPlan(context, (ready) => order(context, ready), true),
);

export const bulkOrder: StudioPage = { at: studio.bulkOrder, view: bulkPage, actions: [check, place] };

interface Placed {
  tally: Tally<Refusal>;
  limit: number | undefined;
  names: GameNames;
}

/** Why not every row was ordered, and what to do next. */
async function remedy(
  context: StudioContext,
  { rows }: Ready,
  { tally, limit }: Pick<Placed, "tally" | "limit">,
): Promise<Markup | undefined> {
  const { stopped, failed, done } = tally;
  const tried = new Set([...done, ...failed].map(({ row }) => row.key));
  const left = rows.filter(({ key }) => !tried.has(key));
  const leftText = plural(left.length, "row");
  const again = "Then check the same rows again: what was ordered is not ordered twice.";
  if (stopped === "limit") return html`The limit of ${usd(limit ?? 0)} was reached with ${leftText} left. Raise it. ${again}`;
  if (stopped === "funds")
    return html`The funds ran out with ${leftText} left${neededText(await missingFor(context, left), usd)}. <a href="${studio.billing()}#credit">Add credit</a>. ${again}`;
  if (typeof stopped === "object") return html`It stopped with ${leftText} left: ${withCode(stopped.message)} ${again}`;
  if (failed.some(({ error }) => !error.waits)) return html`Correct the rows that were not ordered. ${again}`;
  return failed.length > 0 ? html`<a href="${studio.approvals()}">See the orders that wait for approval</a>.` : undefined;
}

/** What became of each row. The form follows where something is left to do. */
async function placed(context: StudioContext, ready: Ready, outcome: Placed): Promise<PageContent> {
  const { source, rows } = ready;
  const counts = countsOf(rows.length, outcome.tally);
  const next = await remedy(context, ready, outcome);
  const summary = countsText(counts, { usd, withoutPayments: !context.site.payments });
  const said = next ? alert(html`<p>${summary}</p><p>${next}</p>`) : notice(summary);
  const results = html`${said}${resultTable(context, rows, outcome.tally, outcome.names)}`;
  if (next) return shown(context, { above: results, source });
  const body = html`${trail()}${results}
<p><a class="button" href="${studio.games()}">Games</a> <a href="${studio.bulkOrder()}">Order from another file</a></p>`;
  return studioLayout(context, "games", { title: "Ordered from a file", body });
}
