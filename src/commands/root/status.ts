import type { Data } from "../../api/client.ts";
import { type Context, col, define, flag, type View } from "../../cli/define.ts";
import { CliError, exitCodes, gateFailed, insufficientScope } from "../../errors.ts";
import { parseGate } from "../shared/gate.ts";

const view: View = {
  columns: [
    col("reviews waiting", "pendingReviews"),
    col("active playtests", "activePlaytests"),
    col("games", "totalGames"),
    col("next deadline", "nextDeadlineAt", "ago"),
    col("due within a day", "dueWithinDay"),
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

type Held = Data<"listSubmissions">["submissions"][number];

const dayMs = 24 * 3_600_000;

/** When playtesters must submit: the next deadline, and how many come within a day. */
async function deadlines(ctx: Context) {
  const times: string[] = [];
  const reserved = ctx.pages("listSubmissions", { query: { status: "reserved" } }, { all: true });
  for await (const { items } of reserved)
    times.push(...(items as Held[]).flatMap(({ slot }) => (slot.deadlineAt ? [slot.deadlineAt] : [])));
  const soon = times.filter((time) => Date.parse(time) <= ctx.now() + dayMs);
  return { nextDeadlineAt: times.sort()[0] ?? null, dueWithinDay: soon.length };
}

const counted = [
  "pendingReviews",
  "activePlaytests",
  "totalGames",
  "dueWithinDay",
  "balanceCents",
  "playtestMinutes",
  "unreadCount",
] as const;

/** Throws the first condition that holds. One about what the key may not see cannot be answered. */
function judge(gates: readonly { text: string; gate: ReturnType<typeof parseGate> }[], found: Record<string, unknown>) {
  for (const { text, gate } of gates) {
    if (found[gate.name] === null) throw insufficientScope(`--fail-if: this key may not see ${gate.name}.`);
    if (gate.fails(found as Record<string, number>)) throw gateFailed(`${text}: ${gate.name} is ${found[gate.name]}.`);
  }
}

export const status = define({
  name: "status",
  summary: "Show what needs attention: reviews, deadlines, balance",
  description: "For cron: ends with 13 when a --fail-if holds, as when reviews have piled up or the balance runs low.",
  flags: { failIf: flag.list("Fail when a number meets this, as 'pendingReviews>9'; may be repeated", { value: "CONDITION" }) },
  operation: ["getDashboardStats", "listSubmissions", "getBalance", "listNotifications"],
  examples: [
    "playtest status",
    "playtest status --jq .result.pendingReviews",
    "playtest status --fail-if 'pendingReviews>9' --fail-if 'balanceCents<5000'",
  ],
  exits: [13],
  async run({ flags }, ctx) {
    const gates = flags.failIf.map((text) => ({ text, gate: parseGate(text, counted, "number") }));
    const api = ctx.api();
    const [stats, due, balance, notifications] = await Promise.all([
      api.getDashboardStats({}),
      deadlines(ctx),
      orNothing(api.getBalance({})),
      orNothing(api.listNotifications({ query: { limit: 1 } })),
    ]);
    const { balanceCents = null, playtestMinutes = null } = balance ?? {};
    const result = { ...stats, ...due, balanceCents, playtestMinutes, unreadCount: notifications?.unreadCount ?? null };
    judge(gates, result);
    if (stats.pendingReviews > 0) ctx.out.note("Review what is waiting: `playtest review next`.");
    return ctx.item({ result }, view);
  },
});
