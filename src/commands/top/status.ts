import { CliError, exitCodes } from "../../errors.ts";
import { type Context, col, define, type View } from "../define.ts";

const view: View = {
  columns: [
    col("reviews waiting", "pendingReviews"),
    col("active playtests", "activePlaytests"),
    col("games", "totalGames"),
    col("next deadline", "nextDeadlineAt", "ago"),
    col("balance", "balanceCents", "usd"),
    col("playtest hours", "playtestMinutes", "minutes"),
    col("unread", "unreadCount"),
  ],
};

/** What the key may not see is left empty. */
const orNothing = async <T>(wanted: Promise<T>): Promise<T | undefined> =>
  wanted.catch((error: unknown) => {
    if (error instanceof CliError && error.exitCode === exitCodes.scope) return undefined;
    throw error;
  });

async function nextDeadline(ctx: Context) {
  const { submissions } = await ctx.api().listSubmissions({ query: { status: "reserved", limit: 100 } });
  const times = submissions.flatMap(({ slot }) => (slot.deadlineAt ? [slot.deadlineAt] : [])).sort();
  return times[0] ?? null;
}

export const status = define({
  name: "status",
  summary: "Show what needs attention: reviews, deadlines, balance",
  operation: ["getDashboardStats", "listSubmissions", "getBalance", "listNotifications"],
  examples: ["playtest status", "playtest status --jq .result.pendingReviews"],
  async run(_, ctx) {
    const api = ctx.api();
    const [stats, nextDeadlineAt, balance, notifications] = await Promise.all([
      api.getDashboardStats({}),
      nextDeadline(ctx),
      orNothing(api.getBalance({})),
      orNothing(api.listNotifications({ query: { limit: 1 } })),
    ]);
    const { balanceCents = null, playtestMinutes = null } = balance ?? {};
    const unreadCount = notifications?.unreadCount ?? null;
    if (stats.pendingReviews > 0) ctx.out.note("Review what is waiting: `playtest review next`.");
    return ctx.item({ result: { ...stats, nextDeadlineAt, balanceCents, playtestMinutes, unreadCount } }, view);
  },
});
