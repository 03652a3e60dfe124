import type { Context } from "../../cli/define.ts";
import { CliError, isAbsent } from "../../errors.ts";
import { plural, usd } from "../../io/text.ts";
import type { CheckedOrder, OrderBody } from "./order-body.ts";
import { listPrice } from "./price-list.ts";

/** The cost of an order and how it would be paid. */
export interface Price {
  totalCents: number;
  costPerSlotCents: number;
  minutesNeeded: number;
  /** Absent if the key may not read it. */
  balanceCents?: number | undefined;
  minutesAvailable?: number | undefined;
  payWith: "free" | "hours" | "credit" | "none";
  /** Whether the price comes from the published price list, because the server has no quotes. */
  estimated: boolean;
}

const denied = (error: unknown) => isAbsent(error) || (error instanceof CliError && error.extra.httpStatus === 403);

/** The funds of the account. Empty if the key lacks the billing scope. */
export async function fundsOf(ctx: Context): Promise<{ balanceCents?: number; minutesAvailable?: number }> {
  try {
    const { balanceCents, playtestMinutes } = await ctx.api().getBalance({});
    return { balanceCents, minutesAvailable: playtestMinutes };
  } catch (error) {
    if (denied(error)) return {};
    throw error;
  }
}

/** The payment method that the server would choose: hours if they cover the whole order, else credit if it does. */
export function payWith(
  { totalCents, minutesNeeded }: Pick<Price, "totalCents" | "minutesNeeded">,
  { balanceCents = 0, minutesAvailable = 0 }: Pick<Price, "balanceCents" | "minutesAvailable">,
): Price["payWith"] {
  if (totalCents === 0) return "free";
  if (minutesAvailable >= minutesNeeded) return "hours";
  return balanceCents >= totalCents ? "credit" : "none";
}

/** The price by the published price list. */
export async function estimate(ctx: Context, order: CheckedOrder): Promise<Price> {
  const need = listPrice(order);
  const funds = await fundsOf(ctx);
  return { ...need, ...funds, payWith: payWith(need, funds), estimated: true };
}

/** The price from the server's quote, or from the published price list if it has no quotes. `body` is the request body. */
export async function priceOrder(ctx: Context, gameId: string | undefined, body: OrderBody, order: CheckedOrder): Promise<Price> {
  try {
    // Game keys do not affect the price, so they are not sent.
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

/** How an order is paid if the user selected `method`. */
export function choosePaymentMethod(price: Price, method: Method): Price["payWith"] | "card" | "x402" {
  if (price.payWith === "free" || method === "any") return price.payWith;
  return method;
}

/** Why the order cannot be paid as selected. Undefined if it can, or if the funds are unknown. */
export function shortfall(price: Price, method: Method): string | undefined {
  const { balanceCents, minutesAvailable, totalCents, minutesNeeded } = price;
  if (price.payWith === "free" || method === "card" || method === "x402") return undefined;
  if (method === "hours" && minutesAvailable !== undefined && minutesAvailable < minutesNeeded)
    return `The order requires ${plural(minutesNeeded, "playtest minute")}, but the account has ${minutesAvailable}.`;
  const short = balanceCents !== undefined && balanceCents < totalCents;
  if (!short || (method === "any" && price.payWith !== "none") || method === "hours") return undefined;
  return `The order costs ${usd(totalCents)}, but the balance is ${usd(balanceCents)}: ${usd(totalCents - balanceCents)} short.`;
}
