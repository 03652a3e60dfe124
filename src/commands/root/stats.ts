import type { Data } from "../../api/client.ts";
import { type Context, col, define, viewOf } from "../../cli/define.ts";
import { slotStatuses } from "../../contract/states/index.ts";
import { anyGame, chartFlags, chartOptions, scopeQuery } from "../shared/charts.ts";
import { playtestsOfAllGames } from "../shared/every-game.ts";
import { slotLines, statisticsText } from "./stats-text.ts";

interface Counted {
  gameId?: string;
  createdAt: string;
  slots?: Record<string, number>;
}

async function* playtestsOf(ctx: Context, game: string | undefined) {
  if (game === undefined) return yield* playtestsOfAllGames(ctx, {});
  yield* ctx.pages("listPlaytests", { params: { gameId: game } }, { all: true });
}

/** Slots by status, from the counts that lists of playtests have, for a server without statistics. */
async function countSlots(ctx: Context, game: string | undefined, since: number) {
  const slots: Record<string, number> = { total: 0 };
  for await (const { items } of playtestsOf(ctx, game))
    for (const { createdAt, slots: counts } of items as Counted[]) {
      if (Date.parse(createdAt) < since) continue;
      for (const [status, count] of Object.entries(counts ?? {})) {
        slots[status] = (slots[status] ?? 0) + count;
        slots.total! += count;
      }
    }
  return slots;
}

type Statistics = Data<"getStatistics">;
interface GameRow {
  game: { id: string; name: string };
  slots: Record<string, number>;
  statistics?: Statistics;
}

const figure = (header: string, value: (one: Statistics) => unknown) =>
  col<GameRow>(header, ({ statistics }) => statistics && value(statistics));
const { columns } = viewOf<GameRow>([
  "game:game.name",
  col("id:game.id", "text"),
  ...["total", ...slotStatuses].map((status) => col<GameRow>(status, ({ slots }) => slots[status])),
  figure("acceptance rate", ({ acceptanceRate }) => acceptanceRate),
  figure("retry rate", ({ retryRate }) => retryRate),
  figure("ratings", ({ ratings }) => ratings.count),
  figure("average rating", ({ ratings }) => ratings.average),
  ...[1, 2, 3, 4, 5].map((score) => figure(`rated ${score}`, ({ ratings }) => ratings.scores[score - 1])),
  ...(["claim", "submit", "review"] as const).flatMap((step) => [
    figure(`${step} median minutes`, ({ times }) => times[step].medianMinutes),
    figure(`${step} p90 minutes`, ({ times }) => times[step].p90Minutes),
  ]),
]);

/** A line for each game: of one, or of all. */
async function tableOf(ctx: Context, only: string | undefined, row: (id: string) => Promise<Omit<GameRow, "game">>) {
  const rows: GameRow[] = [];
  if (only !== undefined) rows.push({ game: (await ctx.api().getGame({ params: { id: only } })).game, ...(await row(only)) });
  else
    for await (const { data } of ctx.pages("listGames", {}, { all: true }))
      for (const game of data.games) rows.push({ game, ...(await row(game.id)) });
  return { columns, rows };
}

const defaultSinceMs = 90 * 24 * 3_600_000;

export const stats = define({
  name: "stats",
  summary: "Show ratings, times and rates of your playtests",
  description:
    "Shows slots by status, ratings by build and over time, how long slots take until they are claimed, submitted and reviewed, and how many submissions " +
    "were accepted, for slots ordered in the last 90 days or since --since. A server without statistics gives the slots by status. CSV and TSV have " +
    "a line for each game.",
  args: { game: anyGame },
  flags: chartFlags,
  operation: ["getStatistics", "listPlaytests", "listGames", "getGame"],
  examples: ["playtest stats", "playtest stats GAME --since 30d", "playtest stats --json --jq .ratings.average"],
  async run({ args, flags }, ctx) {
    const options = chartOptions(ctx, flags.plain);
    const query = await scopeQuery(ctx, { ...args, ...flags });
    const reply = await ctx.api().offered("getStatistics", { query });
    if (reply) {
      const row = async (game: string) => {
        const { slots, ...statistics } = await ctx.api().getStatistics({ query: { ...query, game } });
        return { slots, statistics: { slots, ...statistics } };
      };
      return ctx.text(statisticsText(reply.data, options), reply.data, () => tableOf(ctx, args.game, row));
    }
    const since = flags.since?.(ctx.serverNow()) ?? ctx.serverNow() - defaultSinceMs;
    const slots = await countSlots(ctx, args.game, since);
    ctx.out.note("This server has no statistics. These are its counts of slots by status.");
    const from = new Date(since).toISOString();
    const text = slots.total === 0 ? `No slots were ordered since ${from.slice(0, 10)}.` : slotLines(slots, options).join("\n");
    const row = async (game: string) => ({ slots: await countSlots(ctx, game, since) });
    return ctx.text(text, { gameId: args.game ?? null, since: from, slots }, () => tableOf(ctx, args.game, row));
  },
});
