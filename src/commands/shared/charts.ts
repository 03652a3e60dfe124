import { type Arg, type Context, flag } from "../../cli/define.ts";
import type { ChartOptions } from "../../io/charts/text-charts.ts";

/** What commands with charts have in common. */

export const anyGame: Arg<string | undefined> = {
  summary: "Game id or name (default: all games)",
  optional: true,
  id: { pick: "listGames", label: "name" },
};

export const chartFlags = {
  since: flag.moment("Only from this time on"),
  plain: flag.toggle("Draw charts with ASCII characters only"),
};

interface Given {
  game: string | undefined;
  since: ((now: number) => number) | undefined;
}

/** The query of statistics. Ages count from the time on the server, which a sandbox may have moved. */
export const scopeQuery = (ctx: Context, { game, since }: Given) => ({
  ...(game !== undefined && { game }),
  ...(since && { since: new Date(since(ctx.serverNow())).toISOString() }),
});

export const chartOptions = (ctx: Context, plain: boolean): ChartOptions => ({ width: ctx.io.columns, plain });
