import type { Context } from "../../cli/define.ts";
import { CliError, isAbsent } from "../../errors.ts";
import { plural, usd } from "../../io/text.ts";
import type { CheckedOrder, OrderBody } from "./order-body.ts";
import { listPrice } from "./price-list.ts";

/** What an order will cost and how it would be paid. */
export interface Price {
  totalCents: number;
  costPerSlotCents: number;
  minutesNeeded: number;
  /** Absent where the key may not see it. */
  balanceCents?: number | undefined;
  minutesAvailable?: number | undefined;
  payWith: "free" | "hours" | "credit" | "none";
  /** From the published price list, because the server gives no quotes. */
  estimated: boolean;
}

const denied = (error: unknown) => isAbsent(error) || (error instanceof CliError && error.extra.httpStatus === 403);

/** What the account holds; nothing where the key lacks the billing scope. */
export async function fundsOf(ctx: Context): Promise<{ balanceCents?: number; minutesAvailable?: number }> {
  try {
    const { balanceCents, playtestMinutes } = await ctx.api().getBalance({});
    return { balanceCents, minutesAvailable: playtestMinutes };
  } catch (error) {
    if (denied(error)) return {};
    throw error;
  }
}

/** How the server would pay: hours if they cover all of it, else credit if that does (specification: payment order). */
export function payWith(
  { totalCents, minutesNeeded }: Pick<Price, "totalCents" | "minutesNeeded">,
  { balanceCents = 0, minutesAvailable = 0 }: Pick<Price, "balanceCents" | "minutesAvailable">,
): Price["payWith"] {
  if (totalCents === 0) return "free";
  if (minutesAvailable >= minutesNeeded) return "hours";
  return balanceCents >= totalCents ? "credit" : "none";
}

/** The price by the published list. */
export async function estimate(ctx: Context, order: CheckedOrder): Promise<Price> {
  const need = listPrice(order);
  const funds = await fundsOf(ctx);
  return { ...need, ...funds, payWith: payWith(need, funds), estimated: true };
}

/** The price by the server's quote, or by the published list where it gives none. `body` is what would be sent. */
export async function priceOrder(ctx: Context, gameId: string | undefined, body: OrderBody, order: CheckedOrder): Promise<Price> {
  try {
    // The keys do not change the price, so they stay here.
    const { keysForTesters: _, ...priced } = body;
    const quote = await ctx.api().quotePlaytest({ body: { ...priced, ...(gameId !== undefined && { gameId }) } as never });
    return {
      totalCents: quote.totalCents,
      costPerSlotCents: quote.costPerSlotCents,
      minutesNeeded: quote.playtestMinutesNeeded,
      minutesAvailable: quote.playtestMinutesAvailable,
      balanceCents: quote.balanceCents,
      payWith: quote.wouldPayWith as Price["payWith"],
      estimated: false,
    };
  } catch (error) {
    if (!isAbsent(error)) throw error;
    return estimate(ctx, order);
  }
}

export type Method = "any" | "hours" | "credit" | "card" | "x402";

/** How an order will be paid when the payer asked for `method`. */
export function settlement(price: Price, method: Method): Price["payWith"] | "card" | "x402" {
  if (price.payWith === "free" || method === "any") return price.payWith;
  return method;
}

/** Why it cannot be paid as asked; undefined where it can, or where the funds are not known. */
export function shortfall(price: Price, method: Method): string | undefined {
  const { balanceCents, minutesAvailable, totalCents, minutesNeeded } = price;
  if (price.payWith === "free" || method === "card" || method === "x402") return undefined;
  if (method === "hours" && minutesAvailable !== undefined && minutesAvailable < minutesNeeded)
    return `It needs ${plural(minutesNeeded, "playtest minute")} and the account has ${minutesAvailable}.`;
  const short = balanceCents !== undefined && balanceCents < totalCents;
  if (!short || (method === "any" && price.payWith !== "none") || method === "hours") return undefined;
  return `It costs ${usd(totalCents)} and the balance is ${usd(balanceCents)}: ${usd(totalCents - balanceCents)} are missing.`;
}
