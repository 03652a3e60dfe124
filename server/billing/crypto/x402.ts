import { networks } from "../../../src/contract/headers.ts";
import { type ChainName, type Currency, coins } from "./rules.ts";

/** Payment instructions of this API's variant of the x402 protocol, sent with a 402. The client pays and sends `X-Payment`. */
export interface Instructions {
  paymentId: string;
  chain: ChainName;
  currency: Currency;
  atomic: bigint;
  receiver: string;
  /** The address of the token's contract or mint, or the currency code for a chain's native coin. */
  asset: string;
  expiresAt: number;
  description: string;
  /** The URL of the request. */
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

/** The `X-Payment` header with the instructions, and for USDC also `PAYMENT-REQUIRED`, which standard x402 v2 clients read. */
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

/** The EIP-712 domain name and version of USDC, which only Ethereum-compatible chains need. */
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

/** JSON for a header: characters outside ASCII are escaped. */
const ascii = (value: object) =>
  JSON.stringify(value).replace(/[^\x20-\x7e]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
