import type { Context } from "../../cli/define.ts";
import { tooExpensive } from "../../errors.ts";
import { type Method, type Price, settlement } from "./price.ts";
import { fromPriceList } from "./price-list.ts";

/** Asks before money or hours are spent; --yes or --max-cost answer. */
export async function askToSpend(ctx: Context, what: string, price: Price, method: Method, maxCents: number | undefined) {
  const by = settlement(price, method);
  if (by === "free") return;
  if (by === "hours") {
    if (maxCents !== undefined) return;
    const left = price.minutesAvailable === undefined ? "" : ` of your ${price.minutesAvailable}`;
    return ctx.confirm(`${what} for ${price.minutesNeeded}${left} playtest minutes?`);
  }
  if (price.estimated && maxCents !== undefined) ctx.out.note(fromPriceList);
  await ctx.confirmSpend({ what, cents: price.totalCents, balanceCents: price.balanceCents, maxCents });
}

/** Refuses what the funds do not cover, before anything is sent; `otherwise`: what else can be done than to buy credit. */
export function refuseShort(reason: string | undefined, otherwise = "") {
  if (reason === undefined) return;
  throw tooExpensive(`${reason} Nothing was ordered.`, `Buy credit with \`playtest billing credit add\`${otherwise}.`);
}
