import type { Data } from "../../api/client.ts";
import { type Context, col, define, flag, moneyCol, type Row, viewOf } from "../../cli/define.ts";
import { createGame } from "../../cli/names.ts";
import { CliError, exitCodes, gateFailed, insufficientScope, isAbsent } from "../../errors.ts";
import { ago, oneLine, shortId } from "../../io/text.ts";
import { parseGate } from "../shared/gate.ts";
import { waysToPay } from "../shared/spend.ts";
import { type Todo, todosOf } from "./todo.ts";

const view = viewOf<Awaited<ReturnType<typeof ownerFigures>>>([
  "reviews waiting:pendingReviews",
  "problems reported:reportedProblems",
  "playtests out of keys:playtestsLackingKeys",
  "active playtests:activePlaytests",
  "games:totalGames",
  "next deadline:nextDeadlineAt",
  "due within a day:dueWithinDay",
  "balance:balanceCents",
  moneyCol(col("playtest hours:playtestMinutes", "minutes")),
  "unread notifications:unreadCount",
]);

interface HeldSlot {
  id: string;
  gameName: string;
  deadlineAt: string | null;
}

/** What a playtester or an operator has besides what waits. Keys of operators read no notifications. */
const playtesterView = viewOf<Row<"role" | "unreadCount">>(["role", "unread notifications:unreadCount"]);
const operatorView = viewOf<Row<"role">>(["role"]);

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
  const soon = times.filter((time) => Date.parse(time) <= ctx.serverNow() + dayMs);
  return { nextDeadlineAt: times.sort()[0] ?? null, dueWithinDay: soon.length };
}

/** The number of problems that wait for the owner's answer. */
async function problems(ctx: Context): Promise<number> {
  let count = 0;
  for await (const { items } of ctx.pages("listSubmissions", { query: { status: "blocked" } }, { all: true }))
    count += items.length;
  return count;
}

/** The slots that a playtester has to submit a video for, the most urgent first. */
async function slotsToSubmit(ctx: Context): Promise<HeldSlot[]> {
  const { slots } = await ctx.api().listHeldSlots({ query: { state: "active", limit: 100 } });
  return slots
    .filter(({ status }) => status === "reserved")
    .map(({ id, game, deadlineAt }) => ({ id, gameName: game.name, deadlineAt }))
    .sort((a, b) => (a.deadlineAt ?? "").localeCompare(b.deadlineAt ?? ""));
}

/** Figures for --fail-if. */
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
    if (found[gate.name] === null || found[gate.name] === undefined)
      throw insufficientScope(`--fail-if: the API key has no permission to read ${gate.name}.`);
    if (gate.fails(found as Record<string, number>))
      throw gateFailed(`The --fail-if condition ${text} is met: ${gate.name} is ${found[gate.name]}.`);
  }
}

/** What waits, from a server that has an inbox. Undefined elsewhere, and for a key without the main scope of its role. */
async function inboxOf(ctx: Context): Promise<Data<"getInbox"> | undefined> {
  try {
    return (await ctx.api().offered("getInbox", {}))?.data;
  } catch (error) {
    if (isAbsent(error) || (error instanceof CliError && error.exitCode === exitCodes.scope)) return undefined;
    throw error;
  }
}

/** The figures of an owner's games and money. */
async function ownerFigures(ctx: Context) {
  const api = ctx.api();
  const [stats, due, reportedProblems, balance, notifications] = await Promise.all([
    api.getDashboardStats({}),
    deadlines(ctx),
    problems(ctx),
    orNothing(api.getBalance({})),
    orNothing(api.listNotifications({ query: { limit: 1 } })),
  ]);
  const { balanceCents = null, playtestMinutes = null } = balance ?? {};
  const unreadCount = notifications?.unreadCount ?? null;
  // Other servers of this API hand out no more keys than were ordered with.
  const playtestsLackingKeys = stats.playtestsLackingKeys ?? 0;
  return { ...stats, playtestsLackingKeys, reportedProblems, ...due, balanceCents, playtestMinutes, unreadCount };
}

/** What a server without an inbox says about an owner. */
const todosFrom = ({ pendingReviews, reportedProblems }: Awaited<ReturnType<typeof ownerFigures>>) =>
  todosOf({
    role: "game_owner",
    items: (
      [
        ["problems", reportedProblems],
        ["reviews", pendingReviews],
      ] as const
    ).map(([kind, count]) => ({ kind, count, dueAt: null, amountCents: null, firstId: null })),
  });

/** How to add credit, where that waits. */
const commandForCredit = async (ctx: Context, { items }: Data<"getInbox">) =>
  items.some(({ kind, count }) => kind === "lowCredit" && count > 0) ? (await waysToPay(ctx)).command : undefined;

function show(ctx: Context, todo: readonly Todo[], isNew = false): void {
  for (const { text, dueAt, command } of todo)
    ctx.out.note(`${text}${dueAt === null ? "" : `, first deadline ${ago(dueAt, ctx.serverNow())}`}:\n  ${command}`);
  if (todo.length > 0) return;
  ctx.out.note(
    isNew ? `Nothing waits for you. Create a game to order playtests of it:\n  ${createGame}` : "Nothing waits for you.",
  );
}

export const status = define({
  name: "status",
  summary: "Show what waits for you, with the next command, and your figures",
  description:
    "For owners: reviews, problems, applications, messages and credit. For playtesters: slots and their deadlines. For operators: approvals, " +
    "payouts, deposits and failed jobs. Exits with 13 when a --fail-if condition is met, which is for owners. Use it in a scheduled job to " +
    "detect waiting reviews or a low balance.",
  flags: {
    failIf: flag.list("Fail when a value meets this condition, such as 'pendingReviews>9' (repeatable)", { value: "CONDITION" }),
  },
  operation: ["getInbox", "listHeldSlots", "getDashboardStats", "listSubmissions", "getBalance", "listNotifications"],
  examples: [
    "playtest status",
    "playtest status --jq .result.pendingReviews",
    "playtest status --fail-if 'pendingReviews>9' --fail-if 'balanceCents<5000'",
  ],
  exits: [13],
  async run({ flags }, ctx) {
    const gates = flags.failIf.map((text) => ({ text, gate: parseGate(text, counted, "value") }));
    const inbox = await inboxOf(ctx);
    if (inbox && inbox.role !== "game_owner") {
      const notifications = await orNothing(ctx.api().listNotifications({ query: { limit: 1 } }));
      const slots = inbox.role === "playtester" ? await slotsToSubmit(ctx) : undefined;
      const todo = todosOf(inbox);
      const result = { role: inbox.role, todo, ...(slots && { slots }), unreadCount: notifications?.unreadCount ?? null };
      checkGates(gates, result);
      show(ctx, todo);
      for (const { id, gameName, deadlineAt } of slots ?? [])
        ctx.out.note(
          `  ${oneLine(gameName)}, slot ${shortId(id)}, ${deadlineAt === null ? "no deadline" : `due ${ago(deadlineAt, ctx.serverNow())}`}`,
        );
      return ctx.item({ result }, inbox.role === "admin" ? operatorView : playtesterView);
    }
    const figures = await ownerFigures(ctx);
    const todo = inbox ? todosOf(inbox, await commandForCredit(ctx, inbox)) : todosFrom(figures);
    checkGates(gates, figures);
    show(ctx, todo, figures.totalGames === 0);
    return ctx.item({ result: { role: "game_owner", todo, ...figures } }, view);
  },
});
