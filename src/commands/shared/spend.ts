import type { Context } from "../../cli/define.ts";
import { tooExpensive } from "../../errors.ts";
import { choosePaymentMethod, type Method, type Price } from "./price.ts";
import { fromPriceList } from "./price-list.ts";

/** Asks for confirmation before money or hours are spent. --yes or --max-cost skips the prompt. */
export async function confirmPrice(ctx: Context, what: string, price: Price, method: Method, maxCents: number | undefined) {
  const paidBy = choosePaymentMethod(price, method);
  if (paidBy === "free") return;
  if (paidBy === "hours") {
    if (maxCents !== undefined) return;
    const available = price.minutesAvailable === undefined ? "" : ` of your ${price.minutesAvailable}`;
    return ctx.confirm(`${what} for ${price.minutesNeeded}${available} playtest minutes?`);
  }
  if (price.estimated && maxCents !== undefined) ctx.out.note(fromPriceList);
  await ctx.confirmSpend({ what, cents: price.totalCents, balanceCents: price.balanceCents, maxCents });
}

/** Throws if the funds do not cover an order, before anything is sent. `otherwise` lists alternatives to buying credit. */
export function refuseShort(reason: string | undefined, otherwise = "") {
  if (reason === undefined) return;
  throw tooExpensive(`${reason} Nothing was ordered.`, `Buy credit with \`playtest billing credit add\`${otherwise}.`);
}
