import { type Context, define } from "../../cli/define.ts";
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

const defaultSinceMs = 90 * 24 * 3_600_000;

export const stats = define({
  name: "stats",
  summary: "Show ratings, times and rates of your playtests",
  description:
    "Shows slots by status, ratings by build and over time, how long slots take until they are claimed, submitted and reviewed, and how many submissions " +
    "were accepted, for slots ordered in the last 90 days or since --since. A server without statistics gives the slots by status.",
  args: { game: anyGame },
  flags: chartFlags,
  operation: ["getStatistics", "listPlaytests"],
  examples: ["playtest stats", "playtest stats GAME --since 30d", "playtest stats --json --jq .ratings.average"],
  async run({ args, flags }, ctx) {
    const options = chartOptions(ctx, flags.plain);
    const query = await scopeQuery(ctx, { ...args, ...flags });
    const reply = await ctx.api().offered("getStatistics", { query });
    if (reply) return ctx.text(statisticsText(reply.data, options), reply.data);
    const since = flags.since?.(ctx.serverNow()) ?? ctx.serverNow() - defaultSinceMs;
    const slots = await countSlots(ctx, args.game, since);
    ctx.out.note("This server has no statistics. These are its counts of slots by status.");
    const from = new Date(since).toISOString();
    const text = slots.total === 0 ? `No slots were ordered since ${from.slice(0, 10)}.` : slotLines(slots, options).join("\n");
    return ctx.text(text, { gameId: args.game ?? null, since: from, slots });
  },
});
