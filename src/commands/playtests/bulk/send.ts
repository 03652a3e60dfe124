import type { Context } from "../../../cli/define.ts";
import { isEarlierOrder, type Ordered, orderedBy } from "../../../contract/bulk/ordered.ts";
import type { Planned } from "../../../contract/bulk/plan.ts";
import * as sending from "../../../contract/bulk/send.ts";
import { CliError, exitCodes } from "../../../errors.ts";
import { usd } from "../../../io/text.ts";
import { pool } from "../../shared/pool.ts";
import type { BulkJournal } from "./journal.ts";
import { pace } from "./pace.ts";

export type Done = sending.Done;
export type Failure = sending.Failure<CliError>;
export type Tally = sending.Tally<CliError>;

export interface Sending {
  journal: BulkJournal;
  earlier: sending.Earlier;
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
  const { journal, keepsRefs, earlier, maxCents } = options;
  let slower = 0;

  async function place(row: Planned): Promise<Ordered & { skipped: boolean }> {
    await journal.sent(row, keepsRefs);
    const reply = await request(ctx, row, options);
    slower = pace(reply.headers, options.parallel);
    const order = orderedBy(reply.data);
    await journal.done(row, order);
    return { ...order, skipped: isEarlierOrder(reply) };
  }

  const { tally, one } = sending.createSending<CliError>({
    earlier,
    maxCents,
    place,
    async ready() {
      if (slower > 0) await ctx.sleep(slower, ctx.signal).catch(() => undefined);
      return !ctx.signal.aborted;
    },
    refusal: (row) => (journal.lost(row.key, keepsRefs) ? lost(row) : undefined),
    async failed(row, error) {
      if (!(error instanceof CliError)) throw error;
      const { code, exitCode } = error;
      if (fatal.includes(exitCode)) return { error, ends: true };
      const isOther = code === "IDEMPOTENCY_MISMATCH";
      if (isRefusal(error) && !isOther) await journal.failed(row, code);
      if (code === "BUDGET_EXCEEDED") return { error, ends: true };
      if (exitCode === exitCodes.payment) return "funds";
      return { error: isOther ? new CliError(code, exitCode, sending.otherContent(row)) : error };
    },
    overpriced({ line, cents }, asked, spent) {
      ctx.out.warn(`Line ${line} was ordered and costs ${usd(asked)}, which is more than the ${usd(cents)} that were expected.`);
      if (maxCents === undefined || spent <= maxCents) return;
      ctx.out.warn(`The orders so far cost ${usd(spent)}, which is more than --max-cost ${usd(maxCents)}.`);
    },
    onRow: options.onRow,
  });

  for (const row of rows) {
    const before = earlier(row);
    if (before && !journal.orderedAs(row)) await journal.done(row, before);
  }
  await pool(rows, options.parallel, one);
  return tally;
}

/** Whether the server answered that it did not order. Of any other failure it is not known. */
const isRefusal = ({ extra: { httpStatus = 500 } }: CliError) => httpStatus >= 400 && httpStatus < 500;

function request(ctx: Context, row: Planned, { byMethod, keepsRefs }: Sending) {
  return ctx.api().call("createPlaytest", {
    params: { gameId: row.game },
    body: sending.bodyOf(row, keepsRefs),
    headers: { ...(byMethod && sending.methodHeader(row)), ...sending.costHeader(row) },
    idempotencyKey: row.key,
    // Never aborted: after a first Ctrl-C, requests in flight finish.
    signal: new AbortController().signal,
  });
}

const lost = ({ line }: Planned) =>
  new CliError(
    "OUTCOME_UNKNOWN",
    exitCodes.unknownOutcome,
    `Line ${line} was sent more than 23 hours ago and its reply was lost, so a retry could order it twice. ` +
      "Look for the order with `playtest playtests list`. To order it again, put the row into a file of its own and pass another --batch.",
  );
