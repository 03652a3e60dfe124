import * as z from "zod";
import type { Config } from "../../../config/schema.ts";
import type { Clock } from "../../../lib/clock.ts";
import { tracedFetch } from "../../../outbound/traced-fetch.ts";
import type { Currency } from "../rules.ts";
import { ChainDown } from "./chain.ts";

/** A price is fetched again after `freshMs`. If that fails, the old one is used until it is older than `staleMs`. */
const freshMs = 15_000;
const staleMs = 60_000;

const feedReply = z.object({ data: z.object({ amount: z.string().regex(/^\d{1,12}(\.\d{1,18})?$/) }) });

export interface Rates {
  has(currency: Currency): boolean;
  of(currency: Currency): Promise<number>;
}

/**
 * Rates in cents per whole coin: 100 for USDC; for other currencies the configured rate, or else that of the price feed. The feed's URL
 * contains `{coin}`, and it responds like Coinbase's spot price API: `{"data":{"amount":"3012.45"}}`, in dollars.
 */
export function createRates({ ETH, SOL, feedUrl, timeoutMs }: Config["crypto"]["rates"], clock: Clock): Rates {
  const fixed: Record<Currency, number | null> = { USDC: 100, ETH, SOL };
  const known = new Map<Currency, { rate: number; at: number }>();

  async function fromFeed(currency: Currency): Promise<number> {
    const last = known.get(currency);
    if (last && clock.real() - last.at < freshMs) return last.rate;
    try {
      const rate = await ask(feedUrl!.replaceAll("{coin}", currency), timeoutMs);
      known.set(currency, { rate, at: clock.real() });
      return rate;
    } catch (error) {
      if (last && clock.real() - last.at < staleMs) return last.rate;
      throw new ChainDown(`The price of ${currency} is currently not available.`, { cause: error });
    }
  }

  return {
    has: (currency) => fixed[currency] !== null || feedUrl !== null,
    of: async (currency) => fixed[currency] ?? fromFeed(currency),
  };
}

async function ask(url: string, timeoutMs: number): Promise<number> {
  const response = await tracedFetch(url, { signal: AbortSignal.timeout(timeoutMs), redirect: "error" });
  if (!response.ok) throw new Error(`the price feed responded with status ${response.status}`);
  const rate = Math.round(Number(feedReply.parse(await response.json()).data.amount) * 100);
  if (rate < 1) throw new Error("the price feed says the coin is worth nothing");
  return rate;
}
