import { arg, type Context, define, flag } from "../../cli/define.ts";
import { CliError, exitCodes } from "../../errors.ts";
import { fundsOf, type Method, type Price } from "../shared/price.ts";
import { confirmPrice, waysToPay } from "../shared/spend.ts";
import { checkCrypto, payWithWallet, receiptOf } from "../shared/wallet.ts";
import { cryptoFlags, paymentHeaders } from "./order.ts";
import { cryptoOutcome, orderOutcome, withCost } from "./paid.ts";

/** The amount due for an order. Throws if none is due, unless a transaction is given, whose payment may have arrived already. */
async function amountDue(ctx: Context, id: string, txHash: string | undefined): Promise<Price> {
  const { playtest } = await ctx.api().getPlaytest({ params: { id } });
  if (playtest.status !== "pending_payment" && txHash === undefined)
    throw new CliError(
      "CONFLICT",
      exitCodes.conflict,
      `Playtest ${id} is ${playtest.status ?? "not waiting for payment"}. No payment is due.`,
    );
  const { quantity, durationMinutes, playerCount } = playtest;
  const costPerSlotCents = playtest.costPerSlotCents ?? undefined;
  return {
    costPerSlotCents,
    totalCents: costPerSlotCents === undefined ? undefined : costPerSlotCents * quantity,
    minutesNeeded: durationMinutes * playerCount * quantity,
    payWith: "none",
    estimated: false,
    ...(await fundsOf(ctx)),
  };
}

type Paid = Exclude<Method, "any">;

/** Asks on a terminal, for those who follow `playtest status`. Elsewhere the method is required. */
async function chooseMethod(ctx: Context): Promise<Paid> {
  const { methods } = await waysToPay(ctx);
  const names: Record<Paid, string> = { credit: "Credit", hours: "Playtest hours", card: "Card", x402: "Crypto" };
  const choices = methods.map((method) => ({ value: method, name: names[method] }));
  return (await ctx.prompt.choose("Pay with:", choices, `Pass --method ${methods.join("|")}.`)) as Paid;
}

export const pay = define({
  name: "pay",
  summary: "Pay for an unpaid order",
  args: { playtest: arg.playtest() },
  flags: {
    maxCost: flag.money("Pay only if the cost does not exceed this"),
    allowPending: flag.toggle("Succeed even if the order is left unpaid"),
    ...cryptoFlags,
  },
  operation: "payPlaytest",
  body: "payPlaytest",
  partialBody: true,
  examples: ["playtest playtests pay PLAYTEST --method credit", "playtest playtests pay PLAYTEST --method card --allow-pending"],
  exits: [7, 8],
  async run({ args, flags, body: given }, ctx) {
    const id = args.playtest;
    const body = { method: given.method ?? (await chooseMethod(ctx)) };
    checkCrypto(body.method, flags, "--method x402");
    const price = await amountDue(ctx, id, flags.tx);
    await confirmPrice(ctx, `Pay for playtest ${id} with ${body.method}`, price, body.method, flags.maxCost);
    const { "x-payment-method": _, ...headers } = paymentHeaders(body.method, flags);
    try {
      const options = { idempotencyKey: ctx.flags.idempotencyKey ?? ctx.api().nextKey() };
      const send = (more: Record<string, string>) =>
        ctx.api().call("payPlaytest", { params: { id }, body, headers: { ...headers, ...more }, ...options });
      const request =
        flags.walletCommand === undefined
          ? send({})
          : payWithWallet(ctx, { command: flags.walletCommand, cents: price.totalCents }, send);
      const paid = await withCost(price.totalCents, request);
      return orderOutcome(ctx, paid.data, { allowPending: flags.allowPending, receipt: receiptOf(paid) });
    } catch (error) {
      if (!(error instanceof CliError) || error.extra.payment === undefined) throw error;
      const { chain, currency } = error.extra.payment;
      const command = `playtest playtests pay ${id} --method x402 --chain ${chain} --currency ${currency} --tx HASH`;
      return cryptoOutcome(error, `run \`${command}\``);
    }
  },
});
