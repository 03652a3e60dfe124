import { arg, type Context, define } from "../../cli/define.ts";
import type { CheckedOrder } from "../../contract/order-check.ts";
import { noteBudgets } from "../shared/budgets/left.ts";
import { fromEarlierOrder, unknownPrice } from "../shared/earlier-price.ts";
import { checkOrder } from "../shared/order-body.ts";
import { assembleBody, orderFlags } from "../shared/order-flags.ts";
import { estimate } from "../shared/price.ts";
import { quoteView } from "./view.ts";

export const quote = define({
  name: "quote",
  summary: "Show the price of an order without placing it",
  args: { game: { ...arg.game(), optional: true } },
  flags: orderFlags,
  operation: "quotePlaytest",
  body: "createPlaytest",
  partialBody: true,
  examples: [
    "playtest playtests quote --quantity 5 --duration-minutes 30",
    "playtest playtests quote GAME -f order.yaml --json=totalCents",
  ],
  async run({ args, flags, body: given }, ctx) {
    const body = await assembleBody(ctx, given, flags);
    const order = await checkOrder(body);
    const gameId = args.game as string | undefined;
    const quoted = await ctx.api().offered("quotePlaytest", { body: { ...body, ...(gameId && { gameId }) } });
    noteBudgets(ctx, quoted?.data.budgets);
    for (const warning of quoted?.data.warnings ?? []) ctx.out.warn(warning);
    return ctx.item(quoted?.data ?? (await estimatedQuote(ctx, gameId, order)), quoteView);
  },
});

/** A quote from an earlier order and the account's funds. Null where unknown. */
async function estimatedQuote(ctx: Context, gameId: string | undefined, order: CheckedOrder) {
  const price = await estimate(ctx, gameId, order);
  const { totalCents = null, costPerSlotCents = null, balanceCents = null, minutesAvailable = null, payWith } = price;
  if (totalCents !== 0) ctx.out.warn(totalCents === null ? unknownPrice : fromEarlierOrder);
  return {
    costPerSlotCents,
    payoutCents: null,
    totalCents,
    playtestMinutesNeeded: price.minutesNeeded,
    playtestMinutesAvailable: minutesAvailable,
    balanceCents,
    // By an unknown price only hours, which do not depend on it, are known to be enough.
    wouldPayWith: totalCents === null && payWith !== "hours" ? null : payWith,
    warnings: [],
    missingCents: totalCents === null || balanceCents === null ? null : payWith === "none" ? totalCents - balanceCents : 0,
  };
}
