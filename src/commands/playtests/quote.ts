import { arg, type Context, define } from "../../cli/define.ts";
import { isAbsent } from "../../errors.ts";
import { type CheckedOrder, checkOrder } from "../shared/order-body.ts";
import { assembleBody, orderFlags } from "../shared/order-flags.ts";
import { estimate } from "../shared/price.ts";
import { fromPriceList } from "../shared/price-list.ts";
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
    const asked = ctx.api().quotePlaytest({ body: { ...body, ...(gameId && { gameId }) } });
    const quoted = await asked.catch(async (error: unknown) => {
      if (!isAbsent(error)) throw error;
      ctx.out.warn(fromPriceList);
      return estimatedQuote(ctx, order);
    });
    return ctx.item(quoted, quoteView);
  },
});

/** An estimated quote from the published prices and the account's funds. Null where unknown. */
async function estimatedQuote(ctx: Context, order: CheckedOrder) {
  const { totalCents, costPerSlotCents, minutesNeeded, minutesAvailable, balanceCents, payWith } = await estimate(ctx, order);
  return {
    costPerSlotCents,
    payoutCents: null,
    totalCents,
    playtestMinutesNeeded: minutesNeeded,
    playtestMinutesAvailable: minutesAvailable ?? null,
    balanceCents: balanceCents ?? null,
    wouldPayWith: payWith,
    missingCents: balanceCents === undefined ? null : payWith === "none" ? totalCents - balanceCents : 0,
  };
}
