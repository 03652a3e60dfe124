import { networks } from "../../../src/contract/headers.ts";
import { type ChainName, type Currency, coins } from "./rules.ts";

/** `PAYMENT-REQUIRED`, `PAYMENT-SIGNATURE` and `PAYMENT-RESPONSE` are those of x402 version 2; `X-Payment` is this API's own. */

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

/** The header with the instructions for a payment whose transaction is named afterwards. */
export function instructionHeaders(one: Instructions): Record<string, string> {
  const { playtestId, gameId, description } = one;
  const own = {
    scheme: "exact",
    network: networks[one.chain],
    maxAmountRequired: String(one.atomic),
    asset: one.asset,
    receiver: one.receiver,
    description,
    extra: {
      x402PaymentId: one.paymentId,
      ...(playtestId !== null && { playtestRequestId: playtestId }),
      ...(gameId !== null && { gameId }),
    },
  };
  return { "X-Payment": ascii(own) };
}

/** What became of a signed payment, as standard clients read it. `transaction` is empty if there is none. */
export interface Receipt {
  success: boolean;
  transaction: string;
  network: string;
  payer: string;
  amount: string;
  errorReason?: string;
}

const base64 = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64");

export const receiptHeader = (receipt: Receipt): Record<string, string> => ({ "PAYMENT-RESPONSE": base64(receipt) });

/** What a standard client is asked to sign for `url`, in `requirements`. */
export const requirementsHeader = (
  requirements: object,
  { url, description }: { url: string; description: string },
): Record<string, string> => ({
  "PAYMENT-REQUIRED": base64({
    x402Version: 2,
    error: "PAYMENT-SIGNATURE header is required",
    resource: { url, description, mimeType: "application/json" },
    accepts: [requirements],
  }),
});

/** JSON for a header: characters outside ASCII are escaped. */
const ascii = (value: object) =>
  JSON.stringify(value).replace(/[^\x20-\x7e]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
