import type { ChainName, Currency } from "../../../src/contract/headers.ts";

/** What may be paid in which currency on which chain, and what an amount is worth. Rates are cents per whole coin. */
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

/** The finest part of a coin that a quote uses: more digits than these would be a pain to type. */
const grain: Record<Currency, bigint> = { USDC: 1n, ETH: 10n ** 8n, SOL: 1n };

const unit = (currency: Currency) => 10n ** BigInt(decimals[currency]);

/**
 * The amount in smallest units that pays `cents`, made unique by a suffix worth less than a cent. `draw` is any
 * non-negative number; draws that differ give amounts that differ, as far as the cent has room.
 */
export function uniqueAmount(cents: number, rate: number, currency: Currency, draw: number): bigint {
  const step = grain[currency];
  const exact = roundUp(roundUp(BigInt(cents) * unit(currency), BigInt(rate)) / BigInt(rate), step);
  const room = unit(currency) / BigInt(rate) / step - 2n;
  return exact + (1n + (BigInt(draw) % (room > 0n ? room : 1n))) * step;
}

const roundUp = (value: bigint, step: bigint) => ((value + step - 1n) / step) * step;

/** What an amount is worth at a rate, in whole cents, rounded down. */
export const centsOf = (atomic: bigint, rate: number, currency: Currency): number =>
  Number((atomic * BigInt(rate)) / unit(currency));

/** An amount in whole coins, as people and wallets write it: `20.000137`. */
export function coins(atomic: bigint, currency: Currency): string {
  const whole = atomic / unit(currency);
  const part = String(atomic % unit(currency))
    .padStart(decimals[currency], "0")
    .replace(/0+$/, "");
  return part === "" ? String(whole) : `${whole}.${part}`;
}

/** Addresses of Ethereum's kind carry a checksum in their case; Solana's case is part of the address. */
export const sameAddress = (a: string, b: string): boolean =>
  a === b || (a.startsWith("0x") && a.toLowerCase() === b.toLowerCase());

export interface QuoteTerms {
  ownerId: string;
  atomic: bigint;
  createdAt: number;
  expiresAt: number;
  paid: boolean;
}

export type Verdict<Q> =
  | { is: "paid"; quote: Q }
  /** Less than asked for: the quote stays open. */
  | { is: "short"; quote: Q }
  | { is: "late"; quote: Q }
  /** The quote was paid before, by another transaction. */
  | { is: "again"; quote: Q }
  /** Could be another owner's as well: nobody is credited. */
  | { is: "unclear"; quote: Q }
  | { is: "foreign" }
  /** Older than the quotes it could pay, or there is none. */
  | { is: "unasked" };

/** Clocks of chains and servers differ by so much (ms). */
const skewMs = 60_000;

const covers = (quote: QuoteTerms, at: number) => at >= quote.createdAt - skewMs && at <= quote.expiresAt;

export interface Transfer {
  amount: bigint;
  /** Block time, ms. */
  at: number;
}

/**
 * Whose quote a final transfer pays. `exact` are all quotes over its very amount, newest first; `mine` the caller's unpaid
 * ones. An amount that fits no quote exactly is the caller's only where `rivals` says that nobody else may have sent it.
 */
export function judge<Q extends QuoteTerms>(
  transfer: Transfer,
  caller: string,
  { exact, mine, rivals }: { exact: readonly Q[]; mine: readonly Q[]; rivals: boolean },
): Verdict<Q> {
  const before = exact.filter((quote) => quote.createdAt <= transfer.at);
  const meant =
    exact.find((quote) => covers(quote, transfer.at)) ?? before.find((quote) => quote.ownerId === caller) ?? before[0];
  if (meant && meant.ownerId !== caller) return { is: "foreign" };
  if (meant?.paid) return { is: "again", quote: meant };
  if (meant) return covers(meant, transfer.at) ? { is: "paid", quote: meant } : { is: "late", quote: meant };
  return misSized(transfer, mine, rivals);
}

function misSized<Q extends QuoteTerms>({ amount, at }: Transfer, mine: readonly Q[], rivals: boolean): Verdict<Q> {
  const asked = mine.filter((quote) => at >= quote.createdAt - skewMs).sort((a, b) => (a.atomic < b.atomic ? -1 : 1));
  const inTime = asked.filter((quote) => covers(quote, at));
  const quote = inTime.findLast(({ atomic }) => atomic <= amount) ?? inTime[0] ?? asked.at(-1);
  if (!quote) return { is: "unasked" };
  if (rivals) return { is: "unclear", quote };
  if (inTime.length === 0) return { is: "late", quote };
  return { is: amount < quote.atomic ? "short" : "paid", quote };
}
