import * as z from "zod";
import { durations } from "../../../src/contract/order-body.ts";
import { pages, studio } from "../../../src/contract/pages/addresses.ts";
import { plural } from "../../../src/contract/text/plural.ts";
import { ApiError } from "../../lib/api-error.ts";
import { usd } from "../../lib/money.ts";
import { sha256 } from "../../lib/secrets.ts";
import type { Answer } from "../answer.ts";
import { budgetsOf, isBounded } from "../budgets.ts";
import { type Host, ifPermitted } from "../host.ts";
import { type Exchange, type Outcome, tool } from "../tool.ts";
import { plainLine } from "../untrusted.ts";
import { budgetLines } from "./account.ts";
import { count, flag, id, text } from "./fields.ts";

/** Private playtests only: the videos of public ones are published, and no program decides that. */
const order = {
  game: id(),
  quantity: z.int().min(1).max(100).default(1),
  minutes: z.literal(durations).default(60),
  players: z.int().min(1).max(8).default(1),
  notesForTesters: z.string().max(5000).optional(),
};
type Order = z.output<z.ZodObject<typeof order>>;

const bodyOf = ({ quantity, minutes, players, notesForTesters }: Order) => ({
  visibility: "private" as const,
  quantity,
  durationMinutes: minutes,
  playerCount: players,
  ...(notesForTesters !== undefined && { notesForTesters }),
});

async function quoteOf(host: Host, given: Order) {
  const { data } = await host.call("quotePlaytest", { body: { ...bodyOf(given), gameId: given.game } });
  const budgets = data.budgets ?? [];
  const needsApproval = budgets.some(({ approveOverCents }) => approveOverCents !== null && data.totalCents > approveOverCents);
  return { ...data, budgets, needsApproval };
}

export const quoteOrder = tool({
  name: "quote_order",
  toolset: "order",
  description: "Price an order without placing it: what is missing, and whether it needs approval.",
  input: order,
  output: {
    totalCents: z.int(),
    missingCents: z.int(),
    payWith: z.string(),
    needsApproval: z.boolean(),
    budgets: z.array(z.string()),
    warnings: z.array(z.string()),
  },
  async run(given, { host }) {
    const { totalCents, balanceCents, missingCents, wouldPayWith, needsApproval, budgets, warnings } = await quoteOf(host, given);
    return {
      lines: [
        `${plural(given.quantity, "slot")} of ${given.minutes} minutes: ${usd(totalCents)}${needsApproval ? ", needs approval" : ""}. Balance ${usd(balanceCents)}.`,
        ...budgetLines(budgets),
        ...warnings,
      ],
      data: {
        ...{ totalCents, missingCents, payWith: wouldPayWith, needsApproval },
        ...{ budgets: budgetLines(budgets), warnings },
      },
    };
  },
});

type Ordered = NonNullable<Awaited<ReturnType<typeof earlierOrder>>>;
type Status = "ordered" | "pending_payment" | "needs_approval" | "too_expensive" | "insufficient_credit" | "declined";

const answer = (status: Status, line: string, data: Record<string, unknown> = {}, more: readonly string[] = []): Answer => ({
  lines: [line, ...more],
  data: { status, ...data },
});

/** The order that has this ref, otherwise the newest one that had it and was cancelled. */
const earlierOrder = async (host: Host, ref: string) =>
  (await ifPermitted(host, host.call("findPlaytestsByRef", { body: { refs: [ref] } })))?.data.playtests[0];

/** The answer to a repeated call, which neither orders again nor says that the credit is gone. */
function repeated(host: Host, { id, status, quantity, durationMinutes }: Ordered): Answer {
  const what = `${quantity} × ${durationMinutes} min, ${status}`;
  const data = { playtest: id, playtestStatus: status, repeated: true };
  const url = host.baseUrl + studio.playtest(id);
  return status === "pending_payment"
    ? answer("pending_payment", `This ref was ordered before (${what}) and is not paid yet: ${url}`, data)
    : answer("ordered", `This ref was ordered before (${what}); nothing was ordered again: ${url}`, data);
}

function waits({ baseUrl }: Host, { id, expiresAt }: { id: string; expiresAt: string }): Answer {
  const url = baseUrl + studio.approval(id);
  const line = `A person must approve this order by ${expiresAt}; nothing was ordered or charged yet: ${url}`;
  return answer("needs_approval", line, { approval: id, url });
}

interface Placing {
  ref: string;
  maxCostCents: number;
  /** The id of the cancelled order that had the ref. */
  after: string | undefined;
}

/** Places an order. An idempotency key made from its ref, and the cancelled order that had it, lets a repeated call take effect once. */
async function place(host: Host, given: Order, { ref, maxCostCents, after }: Placing): Promise<Answer> {
  const idempotencyKey = `mcp-${sha256(after === undefined ? ref : `${after} ${ref}`)}`;
  const headers = { "x-max-cost-cents": String(maxCostCents) };
  try {
    const params = { gameId: given.game };
    const { data } = await host.call("createPlaytest", { params, body: { ...bodyOf(given), ref }, headers, idempotencyKey });
    // In the server the reply of an order that waits comes like any other.
    if ("approval" in data) return waits(host, data.approval as Parameters<typeof waits>[1]);
    const { playtest, budgets = [] } = data;
    const unpaid = "requiresPayment" in data;
    const cents = "totalCents" in data ? { totalCents: data.totalCents } : {};
    const price = "totalCents" in data ? ` for ${usd(data.totalCents)}` : "";
    const url = host.baseUrl + studio.playtest(playtest.id);
    return answer(
      unpaid ? "pending_payment" : "ordered",
      unpaid ? `Not paid yet: ${url}` : `Ordered ${plural(playtest.quantity, "slot")}${price}: ${url}`,
      { playtest: playtest.id, playtestStatus: playtest.status, ...cents, url, budgets: budgetLines(budgets) },
      budgetLines(budgets),
    );
  } catch (error) {
    const approval = host.problemOf(error)?.approval;
    if (approval) return waits(host, approval);
    throw error;
  }
}

/** Refuses to order where nothing limits the API key and nobody can be asked. */
const nobodyAsked = (host: Host) =>
  new ApiError(
    "FORBIDDEN",
    `Nothing was ordered. This client cannot ask its user, and no budget limits the API key. Create a key with one, such as \`playtest auth keys create --name agent --budget 50/day\`: ${host.baseUrl}${pages.topic("budgets")}`,
  );

/** Whether the user has to be asked, and what; undefined when the order may be placed. */
async function question({ host, canAsk, reply }: Exchange, given: Order, cents: number): Promise<Outcome | undefined> {
  // A budget is a control that the server keeps; an answer of the client is a courtesy, so it is not asked for beside one.
  if (isBounded(await budgetsOf(host))) return undefined;
  if (!canAsk) throw nobodyAsked(host);
  if (reply && !reply.agreed) return answer("declined", "The user declined. Nothing was ordered.");
  if (reply && cents <= reply.cents) return undefined;
  const { name } = (await host.call("getGame", { params: { id: given.game } })).data.game;
  const what = `${plural(given.quantity, "slot")} of ${given.minutes} minutes of ${plainLine(name, 100)}`;
  return { ask: { message: `Order ${what} for ${usd(cents)}?`, cents } };
}

export const orderPlaytest = tool({
  name: "order_playtest",
  toolset: "order",
  description:
    "Order a private playtest and pay it. A repeated `ref` orders once. After `needs_approval` a person decides; a call after a decline asks again.",
  input: { ...order, maxCostCents: z.int().min(0), ref: z.string().min(1).max(100) },
  output: {
    status: z.string(),
    playtest: text(),
    playtestStatus: text(),
    totalCents: count(),
    url: text(),
    approval: text(),
    missingCents: count(),
    repeated: flag(),
    budgets: z.array(z.string()).optional(),
  },
  async run({ maxCostCents, ref, ...given }, exchange) {
    const { host } = exchange;
    const earlier = await earlierOrder(host, ref);
    if (earlier && earlier.status !== "cancelled") return repeated(host, earlier);
    const { totalCents, wouldPayWith, missingCents } = await quoteOf(host, given);
    if (totalCents > maxCostCents)
      return answer("too_expensive", `It costs ${usd(totalCents)}, more than maxCostCents. Nothing was ordered.`, { totalCents });
    if (wouldPayWith === "none")
      return answer("insufficient_credit", `${usd(missingCents)} of credit are missing. Nothing was ordered.`, {
        totalCents,
        missingCents,
      });
    return (await question(exchange, given, totalCents)) ?? place(host, given, { ref, maxCostCents, after: earlier?.id });
  },
});
