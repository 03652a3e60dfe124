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

/** How an owner pays on this server. */
export interface WaysToPay {
  /** How credit gets into the account. */
  sentence: string;
  /** The command that adds credit. Undefined: only the operator adds it. */
  command: string | undefined;
  cards: boolean;
  /** What `playtests pay --method` can take here. */
  methods: readonly Exclude<Method, "any">[];
}

interface Features {
  cards?: string | null;
  crypto?: readonly { chain: string; currency: string }[];
}

const isDefault = ({ chain, currency }: { chain: string; currency: string }) => chain === "base" && currency === "USDC";

/** The command that buys credit with crypto. Undefined if the server says that it takes none. */
function cryptoCommand({ crypto }: Features): string | undefined {
  const [pair] = crypto ?? [];
  if (pair === undefined) return undefined;
  const which = crypto!.some(isDefault) ? "" : ` --chain ${pair.chain} --currency ${pair.currency}`;
  return `playtest billing credit x402 --amount 50${which}`;
}

/** A server without a card processor takes crypto, if that is set up, and leaves the rest to its operator. */
export async function waysToPay(ctx: Context): Promise<WaysToPay> {
  const info = await ctx.api().offered("getServerInfo", {});
  const features: Features = info?.data.features ?? {};
  const byCrypto = cryptoCommand(features);
  const always = ["credit", "hours"] as const;
  // A server that does not say what it takes is asked.
  if (features.cards !== null) {
    const methods = [...always, "card", ...(features.crypto?.length === 0 ? [] : (["x402"] as const))] as const;
    const command = "playtest billing credit add --amount 50";
    return { sentence: "Buy credit with `playtest billing credit add`.", command, cards: true, methods };
  }
  const grant = '`playtest admin grant EMAIL --credit 50 --note "Invoice 12"`';
  const invoice = `sk its operator for an invoice: once you paid it, they run ${grant} with your email address.`;
  const sentence = `This server does not accept cards. ${byCrypto ? `Buy credit with \`${byCrypto}\`, or a` : "A"}${invoice}`;
  return { sentence, command: byCrypto, cards: false, methods: byCrypto ? [...always, "x402"] : always };
}

/** Throws if the funds do not cover an order, before anything is sent. `unpaid`: it can also be left unpaid. */
export async function refuseShort(ctx: Context, reason: string | undefined, { unpaid = false } = {}): Promise<void> {
  if (reason === undefined) return;
  const { sentence, cards } = await waysToPay(ctx);
  const otherwise = cards ? "Or pay with --pay card, or leave" : "Or leave";
  const next = unpaid ? `${sentence} ${otherwise} the order unpaid with --allow-pending.` : sentence;
  throw tooExpensive(`${reason} Nothing was ordered.`, next);
}
