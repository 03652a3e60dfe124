import { networks } from "../../../src/contract/headers.ts";
import { type ChainName, type Currency, coins } from "./rules.ts";

/** The x402 protocol as this API speaks it: what a 402 tells, and what `X-Payment` says in return. */
export interface Instructions {
  paymentId: string;
  chain: ChainName;
  currency: Currency;
  atomic: bigint;
  receiver: string;
  /** Contract or mint, or the currency's code for a chain's own coin. */
  asset: string;
  expiresAt: number;
  description: string;
  /** The address that was asked. */
  resource: string;
  playtestId: string | null;
  gameId: string | null;
}

export const errorPayment = (one: Instructions) => ({
  id: one.paymentId,
  chain: one.chain,
  currency: one.currency,
  cryptoAmount: coins(one.atomic, one.currency),
  receiver: one.receiver,
  network: networks[one.chain],
  expiresAt: new Date(one.expiresAt).toISOString(),
});

/** `X-Payment` for everyone; for USDC also `PAYMENT-REQUIRED`, which standard x402 v2 clients read. */
export function instructionHeaders(one: Instructions, now: number): Record<string, string> {
  const { playtestId, gameId, description } = one;
  const extra = {
    x402PaymentId: one.paymentId,
    ...(playtestId !== null && { playtestRequestId: playtestId }),
    ...(gameId !== null && { gameId }),
  };
  const own = {
    scheme: "exact",
    network: networks[one.chain],
    maxAmountRequired: String(one.atomic),
    asset: one.asset,
    receiver: one.receiver,
    description,
    extra,
  };
  return { "X-Payment": ascii(own), ...(one.currency === "USDC" && { "PAYMENT-REQUIRED": standard(one, extra, now) }) };
}

/** What EIP-712 signatures over USDC name; only chains of Ethereum's kind need it. */
const token = (chain: ChainName) => (chain === "solana" ? {} : { name: "USD Coin", version: "2" });

function standard(one: Instructions, extra: object, now: number): string {
  const seconds = Math.max(1, Math.floor((one.expiresAt - now) / 1000));
  const required = {
    x402Version: 2,
    error: "Payment required",
    resource: { url: one.resource, description: one.description, mimeType: "application/json" },
    accepts: [
      {
        scheme: "exact",
        network: networks[one.chain],
        amount: String(one.atomic),
        asset: one.asset,
        payTo: one.receiver,
        maxTimeoutSeconds: seconds,
        extra: { ...token(one.chain), ...extra },
      },
    ],
  };
  return Buffer.from(JSON.stringify(required)).toString("base64");
}

/** JSON that fits into a header: a name beyond ASCII is escaped. */
const ascii = (value: object) =>
  JSON.stringify(value).replace(/[^\x20-\x7e]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
