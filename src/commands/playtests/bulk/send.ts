import type { Data } from "../../../api/client.ts";
import type { Context } from "../../../cli/define.ts";
import { CliError, exitCodes } from "../../../errors.ts";
import { usd } from "../../../io/text.ts";
import { pool } from "../../shared/pool.ts";
import { costOf, isEarlierOrder } from "../../shared/price.ts";
import { isFree } from "../paid.ts";
import type { BulkJournal, Ordered } from "./journal.ts";
import { type Planned, pace } from "./plan.ts";
import type { Row } from "./rows.ts";

export interface Done extends Ordered {
  row: Planned;
  /** Whether an earlier run ordered it. */
  skipped: boolean;
}

export interface Failure {
  row: Planned;
  code: string;
  message: string;
  exitCode: number;
}

export interface Tally {
  done: Done[];
  failed: Failure[];
  /** Why it stopped before the last row. */
  stopped: "funds" | "limit" | "signal" | CliError | undefined;
}

/** The order that an earlier run placed for a row, here or elsewhere. */
export type Earlier = (row: Row) => Ordered | undefined;

export interface Sending {
  journal: BulkJournal;
  earlier: Earlier;
  /** Whether the server keeps the refs of orders. */
  keepsRefs: boolean;
  parallel: number;
  /** Maximum total cost in cents. */
  maxCents: number | undefined;
  /** Whether the server supports `X-Payment-Method`, so that a row is paid as planned or not at all. */
  byMethod: boolean;
  /** Called with each row when its outcome is known. */
  onRow(row: Done | Failure, tally: Tally): Promise<void>;
}

const paidWith = (reply: Data<"createPlaytest">) => {
  if ("paidWithPlaytestHours" in reply) return "hours";
  if ("paidWithCredit" in reply) return "credit";
  if ("requiresPayment" in reply) return "none";
  return isFree(reply) ? "free" : "not reported";
};

function orderedBy(reply: Data<"createPlaytest">): Ordered {
  const { id: playtestId, status } = reply.playtest;
  const cents = status === "pending_payment" ? 0 : (costOf(reply) ?? 0);
  const minutes = "paidWithPlaytestHours" in reply ? (reply.playtestMinutesUsed ?? 0) : 0;
  return { playtestId, status, cents, minutes, paidWith: paidWith(reply) };
}

// Errors that every other row would get too, so that continuing is pointless.
const fatal: readonly number[] = [
  exitCodes.unauthenticated,
  exitCodes.scope,
  exitCodes.rateLimited,
  exitCodes.unreachable,
  exitCodes.unknownOutcome,
];

/**
 * Places the orders, several in parallel. After a first Ctrl-C, requests in flight finish. Whatever happens, each row has an outcome
 * in the journal or can be retried with its key.
 */
export async function sendRows(ctx: Context, rows: readonly Planned[], options: Sending): Promise<Tally> {
  const { journal } = options;
  const tally: Tally = { done: [], failed: [], stopped: undefined };
  let spent = 0;
  let slower = 0;

  const stop = (reason: NonNullable<Tally["stopped"]>) => {
    tally.stopped ??= reason;
  };

  async function ordered(done: Done) {
    tally.done.push(done);
    await options.onRow(done, tally);
  }

  async function failed(failure: Failure) {
    tally.failed.push(failure);
    await options.onRow(failure, tally);
  }

  function warnOverpriced({ line, cents }: Planned, asked: number) {
    ctx.out.warn(`Line ${line} was ordered and costs ${usd(asked)}, which is more than the ${usd(cents)} that were expected.`);
    if (options.maxCents === undefined || spent <= options.maxCents) return;
    ctx.out.warn(`The orders so far cost ${usd(spent)}, which is more than --max-cost ${usd(options.maxCents)}.`);
  }

  async function post(row: Planned) {
    const reply = await request(ctx, row, options);
    slower = pace(reply.headers, options.parallel);
    return { ...orderedBy(reply.data), skipped: isEarlierOrder(reply) };
  }

  async function send(row: Planned) {
    if (slower > 0) await ctx.sleep(slower, ctx.signal).catch(() => undefined);
    if (ctx.signal.aborted) stop("signal");
    if (tally.stopped) return;
    if (options.maxCents !== undefined && spent + row.cents > options.maxCents) return stop("limit");
    const planned = row.payWith === "credit" ? row.cents : 0;
    spent += planned;
    await journal.sent(row, options.keepsRefs);
    const { skipped, ...order } = await post(row);
    await journal.done(row, order);
    // A server without quotes may ask another price than was planned. What it replays was charged by an earlier run.
    spent += (skipped ? 0 : order.cents) - planned;
    if (!skipped && order.cents > row.cents) warnOverpriced(row, order.cents);
    await ordered({ row, ...order, skipped });
    if (order.status === "pending_payment") stop("funds");
  }

  async function fail(row: Planned, error: unknown) {
    if (!(error instanceof CliError)) throw error;
    const { code, exitCode } = error;
    if (fatal.includes(exitCode)) return stop(error);
    const isOther = code === "IDEMPOTENCY_MISMATCH";
    if (isRefusal(error) && !isOther) await journal.failed(row, code);
    if (code === "BUDGET_EXCEEDED") return stop(error);
    if (exitCode === exitCodes.payment) return stop("funds");
    await failed({ row, code, message: isOther ? otherContent(row) : error.message, exitCode });
  }

  async function one(row: Planned) {
    const earlier = options.earlier(row);
    if (earlier) {
      if (!journal.orderedAs(row)) await journal.done(row, earlier);
      return ordered({ row, ...earlier, skipped: true });
    }
    if (tally.stopped !== undefined) return;
    if (journal.lost(row.key, options.keepsRefs)) return failed({ row, ...lost(row) });
    if (row.payWith === undefined) return stop("funds");
    await send(row).catch((error: unknown) => fail(row, error));
  }

  await pool(rows, options.parallel, one);
  return tally;
}

/** Whether the server answered that it did not order. Of any other failure it is not known. */
const isRefusal = ({ extra: { httpStatus = 500 } }: CliError) => httpStatus >= 400 && httpStatus < 500;

/** What is sent for a row. A server that keeps no refs may refuse the field. */
export const bodyOf = ({ order, orderRef }: Planned, keepsRefs: boolean) => ({
  ...order,
  ...(keepsRefs && orderRef !== undefined && { ref: orderRef }),
});

function request(ctx: Context, row: Planned, { byMethod, keepsRefs }: Sending) {
  return ctx.api().call("createPlaytest", {
    params: { gameId: row.game },
    body: bodyOf(row, keepsRefs),
    headers: byMethod && row.payWith !== "free" ? { "x-payment-method": row.payWith! } : {},
    idempotencyKey: row.key,
    // Never aborted: after a first Ctrl-C, requests in flight finish.
    signal: new AbortController().signal,
  });
}

const otherContent = ({ ref }: Planned) =>
  `${JSON.stringify(ref)} was ordered before with other content, so nothing was ordered for it. To change that order, look for it with ` +
  "`playtest playtests list` and use `playtest playtests update`. For another order, give the row a new ref.";

const lost = ({ line }: Planned) => ({
  code: "OUTCOME_UNKNOWN",
  message:
    `Line ${line} was sent more than 23 hours ago and its reply was lost, so a retry could order it twice. ` +
    "Look for the order with `playtest playtests list`. To order it again, put the row into a file of its own and pass another --batch.",
  exitCode: exitCodes.unknownOutcome,
});
