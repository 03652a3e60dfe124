import type { Context } from "../../../cli/define.ts";
import type { Ordered } from "../../../contract/bulk/ordered.ts";
import { makePlan, type Pay, type SlotPrice } from "../../../contract/bulk/plan.ts";
import type { Row } from "../../../contract/bulk/rows.ts";
import { CliError } from "../../../errors.ts";
import { plural } from "../../../io/text.ts";
import { quotes } from "./prices.ts";
import { type Done, type Sending, sendRows, type Tally } from "./send.ts";

/**
 * Rows that an interrupted run sent without hearing what became of them. They are sent again, each with its key, before the rest is
 * planned: what the server ordered of them is paid already, so that the funds need not cover it once more.
 */

export const noneSent: Tally = { done: [], failed: [], stopped: undefined };

/** Whatever the funds are: a row that was ordered takes nothing from them, and the server refuses one that they do not cover. */
const withoutFunds = (prices: ReadonlyMap<string, SlotPrice>, pay: Pay) =>
  new Map(
    [...prices].map(([shape, price]): [string, SlotPrice] => [
      shape,
      { ...price, balanceCents: undefined, ...(pay === "hours" && { minutesAvailable: undefined }) },
    ]),
  );

/** Sends these rows again, once that is confirmed or within `maxCents`. */
export async function sendAgain(
  ctx: Context,
  rows: readonly Row[],
  { pay, ...sending }: Omit<Sending, "byMethod" | "earlier" | "onRow"> & { pay: Pay },
): Promise<Tally> {
  if (rows.length === 0) return noneSent;
  const prices = await quotes(ctx, rows);
  const plan = makePlan(rows, withoutFunds(prices, pay), pay);
  const what = `Send ${plural(rows.length, "row")} again that an interrupted run may have ordered (what it ordered is not charged twice)`;
  await ctx.confirmSpend({ what, cents: plan.cents, maxCents: sending.maxCents });
  const byMethod = [...prices.values()].every(({ estimated }) => !estimated);
  return sendRows(ctx, plan.rows, { ...sending, byMethod, earlier: () => undefined, onRow: async () => {} });
}

/** Whether nothing more is to be sent after these. Rows that the funds did not cover are planned with the rest. */
export const isEnd = ({ stopped }: Tally): boolean => stopped instanceof CliError || stopped === "signal" || stopped === "limit";

/** The orders of the rows that were sent again, by their keys. */
export const orderedNow = ({ done }: Tally): ReadonlyMap<string, Ordered & Pick<Done, "skipped">> =>
  new Map(done.map(({ row, ...order }) => [row.key, order]));

/** Says in a preview what it cannot know. */
export const mayBeOrdered = (rows: number): string =>
  `${plural(rows, "row")} more may have been ordered by a run that was interrupted. The next run sends ${rows === 1 ? "it" : "them"} again first; what was ordered is not charged twice.`;
