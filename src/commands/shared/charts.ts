import { type Arg, type Context, flag } from "../../cli/define.ts";
import type { ChartOptions } from "../../io/charts/text-charts.ts";
import { sinceTime } from "./sandbox.ts";

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

/** The query of statistics. */
export const scopeQuery = async (ctx: Context, { game, since }: Given) => ({
  ...(game !== undefined && { game }),
  ...(since && { since: new Date(await sinceTime(ctx, since)).toISOString() }),
});

export const chartOptions = (ctx: Context, plain: boolean): ChartOptions => ({ width: ctx.io.columns, plain });
