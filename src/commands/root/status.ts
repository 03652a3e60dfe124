import type { Data } from "../../api/client.ts";
import { type Context, col, define, flag, type View } from "../../cli/define.ts";
import { CliError, exitCodes, gateFailed, insufficientScope } from "../../errors.ts";
import { parseGate } from "../shared/gate.ts";

const view: View = {
  columns: [
    col("reviews waiting", "pendingReviews"),
    col("problems reported", "reportedProblems"),
    col("playtests out of keys", "playtestsLackingKeys"),
    col("active playtests", "activePlaytests"),
    col("games", "totalGames"),
    col("next deadline", "nextDeadlineAt", "ago"),
    col("due within a day", "dueWithinDay"),
    col("balance", "balanceCents", "usd"),
    col("playtest hours", "playtestMinutes", "minutes"),
    col("unread notifications", "unreadCount"),
  ],
};

/** Undefined if the key lacks the scope. */
const orNothing = async <T>(wanted: Promise<T>): Promise<T | undefined> =>
  wanted.catch((error: unknown) => {
    if (error instanceof CliError && error.exitCode === exitCodes.scope) return undefined;
    throw error;
  });

type Held = Data<"listSubmissions">["submissions"][number];

const dayMs = 24 * 3_600_000;

/** The next submission deadline, and the number of deadlines within a day. */
async function deadlines(ctx: Context) {
  const times: string[] = [];
  const reserved = ctx.pages("listSubmissions", { query: { status: "reserved" } }, { all: true });
  for await (const { items } of reserved)
    times.push(...(items as Held[]).flatMap(({ slot }) => (slot.deadlineAt ? [slot.deadlineAt] : [])));
  const soon = times.filter((time) => Date.parse(time) <= ctx.now() + dayMs);
  return { nextDeadlineAt: times.sort()[0] ?? null, dueWithinDay: soon.length };
}

/** The number of problems that wait for the owner's answer. */
async function problems(ctx: Context): Promise<number> {
  let count = 0;
  for await (const { items } of ctx.pages("listSubmissions", { query: { status: "blocked" } }, { all: true }))
    count += items.length;
  return count;
}

const counted = [
  "pendingReviews",
  "reportedProblems",
  "playtestsLackingKeys",
  "activePlaytests",
  "totalGames",
  "dueWithinDay",
  "balanceCents",
  "playtestMinutes",
  "unreadCount",
] as const;

/** Throws if a condition is met, or if the key may not read its value. */
function checkGates(gates: readonly { text: string; gate: ReturnType<typeof parseGate> }[], found: Record<string, unknown>) {
  for (const { text, gate } of gates) {
    if (found[gate.name] === null) throw insufficientScope(`--fail-if: the API key has no permission to read ${gate.name}.`);
    if (gate.fails(found as Record<string, number>))
      throw gateFailed(`The --fail-if condition ${text} is met: ${gate.name} is ${found[gate.name]}.`);
  }
}

export const status = define({
  name: "status",
  summary: "Show what needs your attention: reviews, problems, deadlines, balance",
  description:
    "Exits with 13 when a --fail-if condition is met. Use it in a scheduled job to detect waiting reviews or a low balance.",
  flags: {
    failIf: flag.list("Fail when a value meets this condition, such as 'pendingReviews>9' (repeatable)", { value: "CONDITION" }),
  },
  operation: ["getDashboardStats", "listSubmissions", "getBalance", "listNotifications"],
  examples: [
    "playtest status",
    "playtest status --jq .result.pendingReviews",
    "playtest status --fail-if 'pendingReviews>9' --fail-if 'balanceCents<5000'",
  ],
  exits: [13],
  async run({ flags }, ctx) {
    const gates = flags.failIf.map((text) => ({ text, gate: parseGate(text, counted, "value") }));
    const api = ctx.api();
    const [stats, due, reportedProblems, balance, notifications] = await Promise.all([
      api.getDashboardStats({}),
      deadlines(ctx),
      problems(ctx),
      orNothing(api.getBalance({})),
      orNothing(api.listNotifications({ query: { limit: 1 } })),
    ]);
    const { balanceCents = null, playtestMinutes = null } = balance ?? {};
    const result = {
      ...stats,
      // Other servers of this API hand out no more keys than were ordered with.
      playtestsLackingKeys: stats.playtestsLackingKeys ?? 0,
      reportedProblems,
      ...due,
      balanceCents,
      playtestMinutes,
      unreadCount: notifications?.unreadCount ?? null,
    };
    checkGates(gates, result);
    if (stats.pendingReviews > 0) ctx.out.note("To review the waiting submissions, run `playtest review next`.");
    if (reportedProblems > 0) ctx.out.note("To see the reported problems, run `playtest review problems`.");
    if (result.playtestsLackingKeys > 0)
      ctx.out.note("Open slots have no game keys left. To add keys, run `playtest playtests keys add`.");
    return ctx.item({ result }, view);
  },
});
