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

/** How credit gets into the account: a server without a card processor leaves that to its operator. */
export async function howToAddCredit(ctx: Context): Promise<{ sentence: string; cards: boolean }> {
  const info = await ctx.api().offered("getServerInfo", {});
  if (info?.data.features?.cards !== null) return { sentence: "Buy credit with `playtest billing credit add`.", cards: true };
  const grant = '`playtest admin grant EMAIL --credit 50 --note "Invoice 12"`';
  const sentence = `This server does not accept cards. Ask its operator for an invoice: once you paid it, they run ${grant} with your email address.`;
  return { sentence, cards: false };
}

/** Throws if the funds do not cover an order, before anything is sent. `unpaid`: it can also be left unpaid. */
export async function refuseShort(ctx: Context, reason: string | undefined, { unpaid = false } = {}): Promise<void> {
  if (reason === undefined) return;
  const { sentence, cards } = await howToAddCredit(ctx);
  const otherwise = cards ? "Or pay with --pay card, or leave" : "Or leave";
  const next = unpaid ? `${sentence} ${otherwise} the order unpaid with --allow-pending.` : sentence;
  throw tooExpensive(`${reason} Nothing was ordered.`, next);
}
