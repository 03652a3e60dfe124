import { arg, type Context, define, flag } from "../../cli/define.ts";
import { CliError, failure } from "../../errors.ts";
import { fundsOf, type Price } from "../shared/price.ts";
import { askToSpend } from "../shared/spend.ts";
import { cryptoFlags, paymentHeaders } from "./order.ts";
import { costing, cryptoOutcome, orderOutcome } from "./paid.ts";

/** What is to pay for an order; fails when it waits for nothing, unless a transaction that paid it may be named again. */
async function due(ctx: Context, id: string, txHash: string | undefined): Promise<Price> {
  const { playtest } = await ctx.api().getPlaytest({ params: { id } });
  if (playtest.status !== "pending_payment" && txHash === undefined)
    throw failure(`Playtest ${id} is ${playtest.status}: there is nothing to pay.`);
  const { quantity, durationMinutes, playerCount } = playtest;
  const costPerSlotCents = playtest.costPerSlotCents ?? 0;
  return {
    costPerSlotCents,
    totalCents: costPerSlotCents * quantity,
    minutesNeeded: durationMinutes * playerCount * quantity,
    payWith: "none",
    estimated: false,
    ...(await fundsOf(ctx)),
  };
}

export const pay = define({
  name: "pay",
  summary: "Pay for an order that waits for payment",
  args: { playtest: arg.playtest() },
  flags: {
    maxCost: flag.money("Pay only if it costs no more than this"),
    allowPending: flag.toggle("An order left unpaid is a success"),
    ...cryptoFlags,
  },
  operation: "payPlaytest",
  body: "payPlaytest",
  examples: ["playtest playtests pay PLAYTEST --method credit", "playtest playtests pay PLAYTEST --method card --allow-pending"],
  exits: [7, 8],
  async run({ args, flags, body }, ctx) {
    const id = args.playtest;
    const price = await due(ctx, id, flags.tx);
    await askToSpend(ctx, `Pay for playtest ${id} with ${body.method}`, price, body.method, flags.maxCost);
    const { "x-payment-method": _, ...headers } = paymentHeaders(body.method, flags);
    try {
      const reply = await costing(price.totalCents, ctx.api().payPlaytest({ params: { id }, body, headers }));
      return orderOutcome(ctx, reply, flags.allowPending);
    } catch (error) {
      if (!(error instanceof CliError) || error.extra.payment === undefined) throw error;
      const again = `playtest playtests pay ${id} --method x402 --chain ${error.extra.payment.chain} --currency ${error.extra.payment.currency} --tx HASH`;
      return cryptoOutcome(error, again);
    }
  },
});
