import type { ChainName, Currency } from "../../../src/contract/headers.ts";

/** The accepted chains and currencies, and the value of amounts. Rates are in cents per whole coin. */
export type { ChainName, Currency };

export interface Pair {
  chain: ChainName;
  currency: Currency;
}

export const pairs: readonly Pair[] = [
  { chain: "base", currency: "USDC" },
  { chain: "ethereum", currency: "USDC" },
  { chain: "solana", currency: "USDC" },
  { chain: "base", currency: "ETH" },
  { chain: "ethereum", currency: "ETH" },
  { chain: "solana", currency: "SOL" },
];

export const isPair = (chain: ChainName, currency: Currency) =>
  pairs.some((pair) => pair.chain === chain && pair.currency === currency);

const decimals: Record<Currency, number> = { USDC: 6, ETH: 18, SOL: 9 };

/** The smallest step of a quote's amount, in smallest units. It limits the number of digits that people must type. */
const grain: Record<Currency, bigint> = { USDC: 1n, ETH: 10n ** 8n, SOL: 1n };

const unit = (currency: Currency) => 10n ** BigInt(decimals[currency]);

/** The amount in smallest units that pays `cents`. */
export const exactAmount = (cents: number, rate: number, currency: Currency): bigint =>
  roundUp(roundUp(BigInt(cents) * unit(currency), BigInt(rate)) / BigInt(rate), grain[currency]);

/**
 * The amount in smallest units that pays `cents`, plus a suffix worth less than a cent that makes it unique. `draw` is any non-negative
 * number. Different draws give different amounts, as far as a cent has enough steps.
 */
export function uniqueAmount(cents: number, rate: number, currency: Currency, draw: number): bigint {
  const step = grain[currency];
  const exact = exactAmount(cents, rate, currency);
  const room = unit(currency) / BigInt(rate) / step - 2n;
  return exact + (1n + (BigInt(draw) % (room > 0n ? room : 1n))) * step;
}

// Stryker disable next-line EqualityOperator: the same where they are equal.
const smaller = (a: bigint, b: bigint) => (a < b ? a : b);

const roundUp = (value: bigint, step: bigint) => ((value + step - 1n) / step) * step;

/** The value of an amount at a rate, in whole cents, rounded down. */
export const centsOf = (atomic: bigint, rate: number, currency: Currency): number =>
  Number((atomic * BigInt(rate)) / unit(currency));

/** An amount in whole coins, as wallets show it: `20.000137`. */
export function coins(atomic: bigint, currency: Currency): string {
  const whole = atomic / unit(currency);
  const part = String(atomic % unit(currency))
    .padStart(decimals[currency], "0")
    .replace(/0+$/, "");
  return part === "" ? String(whole) : `${whole}.${part}`;
}

/** Compares addresses. The case of Ethereum addresses is only a checksum; Solana addresses are case-sensitive. */
export const sameAddress = (a: string, b: string): boolean =>
  a === b || (a.startsWith("0x") && a.toLowerCase() === b.toLowerCase());

/** The amount and the locked rate of a quote. */
export interface Locked {
  atomic: bigint;
  rate: number;
}

/**
 * The value of an amount in whole cents: up to the quote's amount at its locked rate, and the rest at `rate` or the locked rate,
 * whichever is lower. Otherwise a quote would lock a favorable rate for more than its amount.
 */
export function worthOf(amount: bigint, currency: Currency, rate: number, quote?: Locked): number {
  if (!quote) return centsOf(amount, rate, currency);
  const within = smaller(amount, quote.atomic);
  const beyond = amount - within;
  // Rounded down once: two parts rounded down could lose a cent of what was paid.
  return Number((within * BigInt(quote.rate) + beyond * BigInt(Math.min(rate, quote.rate))) / unit(currency));
}

/** The maximum overpayment of a quote that needs no proof: 1 % or one dollar, whichever is smaller. In smallest units. */
export function slackOf({ atomic, rate }: Locked, currency: Currency): bigint {
  return smaller(atomic / 100n, (100n * unit(currency)) / BigInt(rate));
}

export interface QuoteTerms {
  ownerId: string;
  atomic: bigint;
  /** The maximum overpayment that still pays the quote, in smallest units. */
  slack: bigint;
  /** The sending address that the owner declared. Null if none was declared. */
  payer: string | null;
  createdAt: number;
  expiresAt: number;
  paid: boolean;
}

export type Verdict<Q> =
  | { is: "paid"; quote: Q }
  /** Less than the quote's amount. The quote stays open. */
  | { is: "short"; quote: Q }
  /** More than the quote's amount, by too much to be a small overpayment. */
  | { is: "over"; quote: Q }
  | { is: "late"; quote: Q }
  /** The quote was already paid by another transaction. */
  | { is: "again"; quote: Q }
  /** The transfer could also be another owner's, so nobody is credited. */
  | { is: "unclear"; quote: Q }
  | { is: "foreign" }
  /** The transfer is older than all quotes that it could pay, or there are none. */
  | { is: "unasked" };

/** The maximum difference between the clocks of chains and servers (ms). */
const skewMs = 60_000;

/** How long after its expiry a quote may still be paid late (ms). Until then, a transfer could be meant for it. */
const recentMs = 24 * 60 * 60_000;

/** Whether a transfer was made before the quote, so that it cannot be meant for it. */
export const isOlder = (quote: Pick<QuoteTerms, "createdAt">, at: number) => at < quote.createdAt - skewMs;

/** The times for quotes of other owners that a transfer at `at` (ms) could be meant for: open or recently expired ones. */
export const rivalsAt = (at: number) => ({ from: at - recentMs, to: at + skewMs });

export const covers = (quote: Pick<QuoteTerms, "createdAt" | "expiresAt">, at: number) =>
  at >= quote.createdAt - skewMs && at <= quote.expiresAt;

export interface Transfer {
  amount: bigint;
  /** Block time, ms. */
  at: number;
  /** The sending address. Null when the transaction does not show it. */
  from: string | null;
}

/**
 * Whether the sending address that the quote's owner declared is enough proof: the transfer came from there, after the declaration and
 * not long after the quote expired. Anybody can declare any address, so it suffices only up to twice the quote's amount.
 */
export const meetsDeclaration = ({ amount, at, from }: Transfer, quote: QuoteTerms): boolean =>
  quote.payer !== null &&
  quote.payer === from &&
  at >= quote.createdAt &&
  at <= quote.expiresAt + recentMs &&
  amount <= 2n * quote.atomic;

/**
 * Finds the quote that a final transfer pays. `exact` are all quotes of exactly its amount, newest first. `mine` are the caller's unpaid
 * quotes. A transfer with another amount can pay one of those only if `rivals` is false: no other owner could have sent it.
 */
export function judge<Q extends QuoteTerms>(
  transfer: Transfer,
  caller: string,
  { exact, mine, rivals }: { exact: readonly Q[]; mine: readonly Q[]; rivals: boolean },
): Verdict<Q> {
  // Stryker disable next-line EqualityOperator: a quote of the same millisecond covers the transfer.
  const before = exact.filter((quote) => quote.createdAt <= transfer.at);
  const meant =
    exact.find((quote) => covers(quote, transfer.at)) ?? before.find((quote) => quote.ownerId === caller) ?? before[0];
  if (meant && meant.ownerId !== caller) return { is: "foreign" };
  if (meant?.paid) return { is: "again", quote: meant };
  if (meant) return covers(meant, transfer.at) ? { is: "paid", quote: meant } : { is: "late", quote: meant };
  return misSized(transfer, mine, rivals);
}

function misSized<Q extends QuoteTerms>({ amount, at, from }: Transfer, mine: readonly Q[], rivals: boolean): Verdict<Q> {
  const asked = mine.filter((quote) => at >= quote.createdAt - skewMs).sort((a, b) => Number(a.atomic - b.atomic));
  const inTime = asked.filter((quote) => covers(quote, at));
  const quote = inTime.findLast(({ atomic }) => atomic <= amount) ?? inTime[0] ?? asked.at(-1);
  if (!quote) return { is: "unasked" };
  if (rivals) return { is: "unclear", quote };
  if (inTime.length === 0) return { is: "late", quote };
  if (amount < quote.atomic) return { is: "short", quote };
  // Without the tolerance for clocks. Otherwise, somebody who sees a pending transfer could open a quote for it.
  const isSlip = amount <= quote.atomic + quote.slack && at >= quote.createdAt && (quote.payer ?? from) === from;
  return { is: isSlip ? "paid" : "over", quote };
}
