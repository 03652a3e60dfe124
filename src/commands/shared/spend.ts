import type { Context } from "../../cli/define.ts";
import type { Shortfall } from "../../contract/bulk/plan.ts";
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
function cryptoCommand({ crypto }: Features, amount: number): string | undefined {
  const [pair] = crypto ?? [];
  if (pair === undefined) return undefined;
  const which = crypto!.some(isDefault) ? "" : ` --chain ${pair.chain} --currency ${pair.currency}`;
  return `playtest billing credit x402 --amount ${amount}${which}`;
}

const usualDollars = 50;
/** The least and the most that a server sells at once. */
const leastDollars = 20;
const mostDollars = 10_000;

/**
 * A server without a card processor takes crypto, if that is set up, and leaves the rest to its operator. The commands add what is
 * lacking, so that following them once is enough.
 */
export async function waysToPay(ctx: Context, { cents = 0, minutes }: Partial<Shortfall> = {}): Promise<WaysToPay> {
  const needed = cents > 0 ? Math.max(leastDollars, Math.ceil(cents / 100)) : usualDollars;
  const amount = Math.min(mostDollars, needed);
  const again = needed > mostDollars ? `, ${usd(mostDollars * 100)} at a time` : "";
  const info = await ctx.api().offered("getServerInfo", {});
  const features: Features = info?.data.features ?? {};
  const byCrypto = minutes === undefined ? cryptoCommand(features, amount) : undefined;
  const always = ["credit", "hours"] as const;
  // A server that does not say what it takes is asked.
  if (features.cards !== null) {
    const methods = [...always, "card", ...(features.crypto?.length === 0 ? [] : (["x402"] as const))] as const;
    const command = `playtest billing credit add --amount ${amount}`;
    const sentence =
      minutes === undefined
        ? `Buy credit with \`${command}\`${again}.`
        : "Plans that grant playtest hours: `playtest billing plans`. Or pay from credit with --pay credit.";
    return { sentence, command, cards: true, methods };
  }
  const granted = minutes === undefined ? `--credit ${needed}` : `--minutes ${minutes}`;
  const grant = `\`playtest admin grant EMAIL ${granted} --note "Invoice 12"\``;
  const invoice = `its operator for an invoice: once you have paid it, they run ${grant} with your email address.`;
  const sentence = byCrypto
    ? `This server does not accept cards. Buy credit with \`${byCrypto}\`${again}, or ask ${invoice}`
    : `This server does not accept cards. Ask ${invoice}`;
  return { sentence, command: byCrypto, cards: false, methods: byCrypto ? [...always, "x402"] : always };
}

/**
 * Throws if the funds do not cover an order, before anything is sent. `byCard`: a card can pay for it alone. `unpaid`: it can also be
 * left unpaid, which a server accepts from an account without any credit only.
 */
export async function refuseShort(
  ctx: Context,
  lacking: Shortfall | undefined,
  { byCard = false, unpaid = false } = {},
): Promise<void> {
  if (lacking === undefined) return;
  const { sentence, cards } = await waysToPay(ctx, lacking);
  const others = [
    ...(byCard && cards ? ["pay with --pay card"] : []),
    ...(unpaid ? ["leave the order unpaid with --allow-pending"] : []),
  ];
  const next = others.length > 0 ? `${sentence} Or ${others.join(", or ")}.` : sentence;
  throw tooExpensive(`${lacking.reason} Nothing was ordered.`, next);
}
