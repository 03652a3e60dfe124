import type { Data } from "../../../../src/contract/index.ts";
import { studio } from "../../../../src/contract/pages/addresses.ts";
import { ApiError } from "../../../lib/api-error.ts";
import { html, type Markup, type PageContent } from "../../html.ts";
import { deviceLabels } from "../../shared/devices.ts";
import { ifOffered } from "../../shared/not-offered.ts";
import { gamesFor } from "../games/listed.ts";
import { studioLayout } from "../layout.ts";
import type { StudioContext, StudioPage } from "../types.ts";
import { barFigure, timeFigure } from "./charts.ts";

type Statistics = Data<"getStatistics">;
type Spending = Data<"getSpending">;

const day = 24 * 3_600_000;
/** How far back the page can look, in days. */
const spans = [30, 90, 365] as const;
const initialSpan = 90;

const usd = (cents: number) => `$${(cents / 100).toLocaleString("en-US", { minimumFractionDigits: 2 })}`;
const date = (iso: string) => iso.slice(0, 10);
const percent = (share: number) => `${Math.round(share * 100)}%`;
const name = (status: string) => `${status.charAt(0).toUpperCase()}${status.slice(1)}`;

function duration(minutes: number | null): string {
  if (minutes === null) return "none yet";
  if (minutes < 90) return `${Math.round(minutes)} min`;
  return minutes < 48 * 60 ? `${(minutes / 60).toFixed(1)} h` : `${(minutes / 1440).toFixed(1)} days`;
}

/** Credit and playtest minutes; what is nothing is left out, unless both are. */
function amount(cents: number, minutes: number): string {
  if (minutes === 0) return usd(cents);
  return cents === 0 ? `${minutes} min` : `${usd(cents)}, ${minutes} min`;
}

const figures = (rows: readonly (readonly [string, string])[]): Markup =>
  html`<div class="totals">${rows.map(([label, value]) => html`<p><span class="soft">${label}</span><br><strong>${value}</strong></p>`)}</div>`;

/** Undefined where nobody said what they played on. */
function deviceRows({ devices = [] }: Partial<Statistics>) {
  if (devices.every(({ device }) => device === null)) return undefined;
  return devices.map(({ device, count }) => ({
    label: device === null ? "Not said" : deviceLabels[device],
    value: count,
    text: String(count),
  }));
}

function slotSection(stats: Statistics): Markup {
  const { slots, acceptanceRate, retryRate, times, isPartial } = stats;
  const played = deviceRows(stats);
  const { total, ...counts } = slots;
  const rows = Object.entries(counts).filter(([, count]) => count > 0);
  const steps = [
    ["Until claimed", times.claim],
    ["Until submitted", times.submit],
    ["Until reviewed", times.review],
  ] as const;
  const timed = steps.map(([label, { medianMinutes, p90Minutes }]) => ({
    label,
    value: medianMinutes ?? 0,
    text: medianMinutes === null ? "none yet" : `${duration(medianMinutes)}, 9 of 10 within ${duration(p90Minutes)}`,
  }));
  return html`<h2>Slots</h2>${isPartial && html`<p>There are very many slots. Only the newest ${total} are counted.</p>`}
${figures([
  ["Slots, with retries", String(total)],
  ["Accepted of reviewed", acceptanceRate === null ? "none reviewed yet" : percent(acceptanceRate)],
  ["Retry allowed of reviewed", retryRate === null ? "none reviewed yet" : percent(retryRate)],
])}
<div class="charts">${barFigure(
    "Slots by status",
    rows.map(([status, value]) => ({ label: name(status), value, text: String(value) })),
    ["Status", "Slots"],
  )}${barFigure("Median time", timed, ["Step", "Time"])}${played && barFigure("Devices", played, ["Device", "Submissions"])}</div>`;
}

function ratingSection({ ratings }: Statistics): Markup {
  const { count, average, scores, builds, periods } = ratings;
  if (average === null) return html`<h2>Ratings</h2><p>No ratings yet. You can rate a submission when you accept it.</p>`;
  const severalGames = new Set(builds.map(({ gameId }) => gameId)).size > 1;
  const rated = (one: { count: number; average: number | null }) =>
    one.average === null ? "none" : `${one.average.toFixed(2)} (${one.count})`;
  return html`<h2>Ratings</h2>${figures([
    ["Average", average.toFixed(2)],
    ["Ratings", String(count)],
  ])}<div class="charts">${barFigure(
    "Ratings by score",
    scores.map((value, i) => ({ label: `Score ${i + 1}`, value, text: String(value) })).toReversed(),
    ["Score", "Ratings"],
  )}${
    builds.length > 0 &&
    barFigure(
      "Average rating by build",
      builds.map((build) => ({
        label: `${severalGames ? `${build.gameName}, ` : ""}${build.version ?? `build of ${date(build.uploadedAt)}`}`,
        value: build.average ?? 0,
        text: rated(build),
      })),
      ["Build", "Average (ratings)"],
      5,
    )
  }${timeFigure(
    "Average rating over time, from 0 to 5",
    periods.map((period) => ({ label: date(period.from), value: period.average, text: rated(period) })),
    5,
    ["From", "Average (ratings)"],
  )}</div>`;
}

function costSection(spending: Spending): Markup {
  const { spentCents, spentMinutes, forecastCents, forecastMinutes, minutesLeft, months, games } = spending;
  const left: [string, string] = ["Playtest hours left", (minutesLeft / 60).toFixed(1)];
  if (games.length === 0)
    return html`<h2>Costs</h2><p>Nothing was spent in this time, and no slots are open.</p>${figures([left])}`;
  const isCredit = games.some((game) => game.spentCents + game.forecastCents > 0);
  const row = (label: string, cents: number, minutes: number) => ({
    label,
    value: isCredit ? cents : minutes,
    text: amount(cents, minutes),
  });
  const perMonth = months.map((one) => row(one.month, one.spentCents, one.spentMinutes));
  return html`<h2>Costs</h2><p>Spent is the price of slots that were accepted, finally rejected, or cancelled too late for a refund. The forecast is what slots that have not ended cost if all are accepted; it is held already.</p>
${figures([["Spent", amount(spentCents, spentMinutes)], ["Forecast", amount(forecastCents, forecastMinutes)], left])}
<div class="charts">${timeFigure("Spent by month", perMonth, Math.max(...perMonth.map(({ value }) => value)), ["Month", "Spent"])}${barFigure(
    "Spent by game",
    games.map((game) => row(game.gameName, game.spentCents, game.spentMinutes)),
    ["Game", "Spent"],
  )}${
    forecastCents + forecastMinutes > 0 &&
    barFigure(
      "Forecast by game",
      games
        .filter((game) => game.forecastCents + game.forecastMinutes > 0)
        .map((game) => row(game.gameName, game.forecastCents, game.forecastMinutes)),
      ["Game", "Forecast"],
    )
  }</div>`;
}

/** The costs; undefined from a server without them, and with a key that may not read billing. */
async function spendingOf(context: StudioContext, query: object): Promise<Spending | undefined> {
  try {
    return (await ifOffered(context.call("getSpending", { query })))?.data;
  } catch (error) {
    if (error instanceof ApiError && error.code === "FORBIDDEN") return undefined;
    throw error;
  }
}

async function filter(context: StudioContext, game: string, days: number): Promise<Markup> {
  const { games, others } = await gamesFor(context, "Open the statistics of another one from its page.");
  const option = (value: string | number, label: string, chosen: boolean) =>
    html`<option value="${value}"${chosen && html` selected`}>${label}</option>`;
  return html`<form class="filter" method="get" action="${studio.stats()}"><span><label for="game">Game</label> <select id="game" name="game">${option("", "All games", game === "")}${games.map((one) => option(one.id, one.name, one.id === game))}</select></span>
<span><label for="days">Time</label> <select id="days" name="days">${spans.map((span) => option(span, `Last ${span} days`, span === days))}</select></span><button class="quiet">Show</button></form>${others}`;
}

/** `/studio/stats`: ratings, times, rates and costs as charts. */
async function statsPage(context: StudioContext): Promise<PageContent> {
  const game = context.query.get("game") ?? "";
  const days = spans.find((span) => String(span) === context.query.get("days")) ?? initialSpan;
  const query = { since: new Date(context.now - days * day).toISOString(), ...(game !== "" && { game }) };
  const stats = (await ifOffered(context.call("getStatistics", { query })))?.data;
  const spending = context.site.payments ? await spendingOf(context, query) : undefined;
  const body = stats
    ? html`${await filter(context, game, days)}${stats.slots.total === 0 ? html`<p>No slots were ordered in this time.</p>` : html`${slotSection(stats)}${ratingSection(stats)}`}${spending && costSection(spending)}`
    : html`<p>The server that you are signed in to has no statistics.</p>`;
  return studioLayout(context, "stats", { title: "Statistics", body });
}

export const stats: StudioPage = { at: studio.stats, view: statsPage };
