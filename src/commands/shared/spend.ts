import type { Context } from "../../cli/define.ts";
import { tooExpensive } from "../../errors.ts";
import { usd } from "../../io/text.ts";
import { fromEarlierOrder, unknownPrice } from "./earlier-price.ts";
import { choosePaymentMethod, type Method, type Price } from "./price.ts";

/** Asks for confirmation before money or hours are spent. --yes or --max-cost skips the prompt. */
export async function confirmPrice(ctx: Context, what: string, price: Price, method: Method, maxCents: number | undefined) {
  const paidBy = choosePaymentMethod(price, method);
  if (paidBy === "free") return;
  if (paidBy === "hours") {
    if (maxCents !== undefined) return;
    const available = price.minutesAvailable === undefined ? "" : ` of your ${price.minutesAvailable}`;
    return ctx.confirm(`${what} for ${price.minutesNeeded}${available} playtest minutes?`);
  }
  const { totalCents: cents, balanceCents } = price;
  if (cents === undefined) return confirmUnknown(ctx, what, balanceCents, maxCents);
  if (price.estimated) ctx.out.note(fromEarlierOrder);
  await ctx.confirmSpend({ what, cents, balanceCents, maxCents });
}

/** A limit cannot be kept where only the order itself tells its price. */
async function confirmUnknown(ctx: Context, what: string, balanceCents: number | undefined, maxCents: number | undefined) {
  if (maxCents !== undefined)
    throw tooExpensive(
      `${unknownPrice} So --max-cost cannot be kept. Nothing was ordered.`,
      "To order at the price that the server then asks, pass --yes instead.",
    );
  ctx.out.note(unknownPrice);
  const balance = balanceCents === undefined ? "" : ` Balance: ${usd(balanceCents)}.`;
  await ctx.confirm(`${what} at the server's price?${balance}`);
}

/** Throws if the funds do not cover an order, before anything is sent. `otherwise` lists alternatives to buying credit. */
export function refuseShort(reason: string | undefined, otherwise = "") {
  if (reason === undefined) return;
  throw tooExpensive(`${reason} Nothing was ordered.`, `Buy credit with \`playtest billing credit add\`${otherwise}.`);
}
