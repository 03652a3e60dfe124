import type { Context } from "../../cli/define.ts";
import { targetNames } from "../../contract/accounts/audience-text.ts";
import { costOf, type OrderReply } from "../../contract/bulk/ordered.ts";
import type { Shortfall } from "../../contract/bulk/plan.ts";
import type { CheckedOrder, OrderBody } from "../../contract/order-check.ts";
import { CliError, exitCodes, isAbsent } from "../../errors.ts";
import { plural, usd } from "../../io/text.ts";
import { earlierCost, minutesOf } from "./earlier-price.ts";

/** The cost of an order and how it would be paid. */
export interface Price {
  /** Undefined: only the order itself would tell. */
  totalCents: number | undefined;
  costPerSlotCents: number | undefined;
  minutesNeeded: number;
  /** Absent if the key may not read it. */
  balanceCents?: number | undefined;
  minutesAvailable?: number | undefined;
  payWith: "free" | "hours" | "credit" | "none";
  /** Whether the price is that of an earlier order, because the server has no quotes. */
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
  return balanceCents > 0 && balanceCents >= (totalCents ?? 0) ? "credit" : "none";
}

/** A server without groups may ignore the field and offer the game to everyone; one without refs may order a second time. */
const notKnown = (what: string, flag: string) =>
  new CliError("NOT_OFFERED", exitCodes.notFound, `This server has no ${what}. Nothing was ordered.`, {
    hint: `Leave out ${flag}.`,
  });

/** The price by the last order of the same size. */
export async function estimate(ctx: Context, gameId: string | undefined, order: CheckedOrder): Promise<Price> {
  if (order.panel !== undefined) throw notKnown("tester groups", "--panel");
  if (targetNames.some((name) => (order[name] ?? []).length > 0)) throw notKnown("playtests for certain players", "--target-…");
  if (order.ref !== undefined) throw notKnown("order refs", "--ref");
  if (order.scheduledAt !== undefined) throw notKnown("playtests at a fixed time", "--at");
  const costPerSlotCents = await earlierCost(ctx, gameId, order);
  const totalCents = costPerSlotCents === undefined ? undefined : costPerSlotCents * order.quantity;
  const need = { totalCents, costPerSlotCents, minutesNeeded: minutesOf(order) };
  const funds = await fundsOf(ctx);
  return { ...need, ...funds, payWith: payWith(need, funds), estimated: true };
}

/** The price from the server's quote, or if it has no quotes by an earlier order. `body` is the request body. */
export async function priceOrder(ctx: Context, gameId: string | undefined, body: OrderBody, order: CheckedOrder): Promise<Price> {
  // Game keys and the ref do not affect the price, so they are not sent.
  const { keysForTesters: _keys, ref: _ref, ...priced } = body;
  const input = { body: { ...priced, ...(gameId !== undefined && { gameId }) } as never };
  const quote = (await ctx.api().offered("quotePlaytest", input))?.data;
  if (quote === undefined) return estimate(ctx, gameId, order);
  for (const warning of quote.warnings ?? []) ctx.out.warn(warning);
  return {
    totalCents: quote.totalCents,
    costPerSlotCents: quote.costPerSlotCents,
    minutesNeeded: quote.playtestMinutesNeeded,
    minutesAvailable: quote.playtestMinutesAvailable,
    balanceCents: quote.balanceCents,
    payWith: quote.wouldPayWith as Price["payWith"],
    estimated: false,
  };
}

export const earlierOrder = "This order was already placed. Nothing was charged. It is shown as it was then.";

/** Has the server refuse an order that costs more than the user allowed. Servers that do not know the header ignore it. */
export const maxCostHeader = (maxCents: number | undefined): Record<string, string> =>
  maxCents === undefined ? {} : { "x-max-cost-cents": String(maxCents) };

/** Warns if an order that was placed costs more than the user allowed, or than an earlier one did. */
export function compareCost(ctx: Context, reply: OrderReply, price: Price, maxCents: number | undefined): void {
  const cents = costOf(reply);
  if (cents === undefined) {
    ctx.out.warn(`The server does not say what order ${reply.playtest.id} costs.`);
    return;
  }
  const expected = price.estimated ? price.totalCents : undefined;
  const over =
    maxCents !== undefined && cents > maxCents
      ? `--max-cost ${usd(maxCents)}`
      : expected !== undefined && cents > expected
        ? `${usd(expected)}, the price by an earlier order`
        : undefined;
  if (over) ctx.out.warn(`Order ${reply.playtest.id} was placed and costs ${usd(cents)}, which is more than ${over}.`);
}

export type Method = "any" | "hours" | "credit" | "card" | "x402";

/** How an order is paid if the user selected `method`. */
export function choosePaymentMethod(price: Price, method: Method): Price["payWith"] | "card" | "x402" {
  if (price.payWith === "free" || method === "any") return price.payWith;
  return method;
}

/**
 * Throws for a payment method that only some servers let an order choose: the others may ignore it and take what they like. `ours`
 * says whether this server does.
 */
export function refuseMethod(method: Method, ours: boolean): void {
  if (ours || method === "any" || method === "x402") return;
  throw new CliError(
    "NOT_OFFERED",
    exitCodes.notFound,
    `This server does not let an order choose to be paid with ${method}. Nothing was ordered.`,
    { hint: "Without --pay, it takes playtest hours if they cover the whole order, otherwise credit." },
  );
}

/** Why the order cannot be paid as selected. Undefined if it can, or if the funds are unknown. */
export function shortfall(price: Price, method: Method): Shortfall | undefined {
  const { balanceCents, minutesAvailable, totalCents, minutesNeeded } = price;
  if (price.payWith === "free" || method === "card" || method === "x402") return undefined;
  if (method === "hours" && minutesAvailable !== undefined && minutesAvailable < minutesNeeded)
    return {
      reason: `The order requires ${plural(minutesNeeded, "playtest minute")}, but the account has ${minutesAvailable}.`,
      minutes: minutesNeeded - minutesAvailable,
    };
  if (totalCents === undefined)
    return price.payWith === "none" && balanceCents === 0 ? { reason: "The account has no credit." } : undefined;
  const short = balanceCents !== undefined && balanceCents < totalCents;
  if (!short || (method === "any" && price.payWith !== "none") || method === "hours") return undefined;
  const cents = totalCents - balanceCents;
  return { reason: `The order costs ${usd(totalCents)}, but the balance is ${usd(balanceCents)}: ${usd(cents)} short.`, cents };
}
