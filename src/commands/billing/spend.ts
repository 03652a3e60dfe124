import type { Data } from "../../api/client.ts";
import { col, define, flag, viewOf } from "../../cli/define.ts";
import { type BarRow, barChart, type ChartOptions } from "../../io/charts/text-charts.ts";
import { usd } from "../../io/text.ts";
import { anyGame, chartFlags, chartOptions, scopeQuery } from "../shared/charts.ts";

type Spending = Data<"getSpending">;

/** An amount of credit and of playtest minutes; what is nothing is left out, unless both are. */
function amount(cents: number, minutes: number): string {
  if (minutes === 0) return usd(cents);
  return cents === 0 ? `${minutes} min` : `${usd(cents)}, ${minutes} min`;
}

/** One chart, of credit where any was spent, otherwise of minutes. */
function chart(rows: readonly { label: string; cents: number; minutes: number }[], options: ChartOptions): string[] {
  const isCredit = rows.some(({ cents }) => cents > 0);
  return barChart(
    rows.map(({ label, cents, minutes }): BarRow => ({ label, value: isCredit ? cents : minutes, text: amount(cents, minutes) })),
    options,
  );
}

const columnsBy = {
  month: viewOf<Spending["months"][number]>(["month", "spent:spentCents", "spent minutes:spentMinutes"]).columns,
  game: viewOf<Spending["games"][number]>([
    "game:gameName",
    col("id:gameId", "text"),
    "spent:spentCents",
    "spent minutes:spentMinutes",
    "forecast:forecastCents",
    "forecast minutes:forecastMinutes",
  ]).columns,
};

export function spendingText(spending: Spending, by: "month" | "game", options: ChartOptions): string {
  const { spentCents, spentMinutes, forecastCents, forecastMinutes, minutesLeft, games, months } = spending;
  if (games.length === 0) return `Nothing was spent since ${spending.since.slice(0, 10)}, and no slots are open.`;
  const spent =
    by === "month"
      ? months.map(({ month, ...one }) => ({ label: month, cents: one.spentCents, minutes: one.spentMinutes }))
      : games.map(({ gameName, ...one }) => ({ label: gameName, cents: one.spentCents, minutes: one.spentMinutes }));
  const held = games
    .filter((game) => game.forecastCents > 0 || game.forecastMinutes > 0)
    .map(({ gameName, ...one }) => ({ label: gameName, cents: one.forecastCents, minutes: one.forecastMinutes }));
  return [
    `Spent since ${spending.since.slice(0, 10)}: ${amount(spentCents, spentMinutes)}`,
    ...chart(spent, options),
    "",
    `Forecast for slots that have not ended: ${amount(forecastCents, forecastMinutes)}`,
    ...(by === "game" ? chart(held, options) : []),
    `Playtest hours left: ${(minutesLeft / 60).toFixed(1)}`,
  ].join("\n");
}

export const spend = define({
  name: "spend",
  summary: "Show what playtests cost, by month or by game",
  description:
    "Spent is the price of slots that were accepted, finally rejected, or cancelled too late for a refund. The forecast is what slots that have not ended still cost if all are accepted; " +
    "it is held already. Counts from eleven months before this one, or from --since. CSV and TSV have a line for each month or game.",
  args: { game: anyGame },
  flags: { by: flag.choice(["month", "game"], "What to add up by (default month)"), ...chartFlags },
  operation: "getSpending",
  examples: ["playtest billing spend", "playtest billing spend --by game --since 90d", "playtest billing spend --csv"],
  async run({ args, flags }, ctx) {
    const data = await ctx.api().getSpending({ query: await scopeQuery(ctx, { ...args, ...flags }) });
    // Without payments there are no prices: what the command says instead follows.
    if (ctx.withoutPayments() && data.games.length === 0 && ctx.out.format.kind === "auto") return undefined;
    const by = flags.by ?? "month";
    const table = async () => ({ columns: columnsBy[by], rows: by === "month" ? data.months : data.games });
    return ctx.text(spendingText(data, by, chartOptions(ctx, flags.plain)), data, table);
  },
});
