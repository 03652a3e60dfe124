import type { SignedPayment } from "../../../../src/contract/headers.ts";
import { coins, exactAmount, sameAddress } from "../rules.ts";
import type { Authorization, TokenDomain } from "../signatures/index.ts";
import type { QuoteRow } from "../store.ts";

/** What a standard x402 client is asked to sign for a quote, and whether what it signed is that. */

const secondMs = 1000;

/** For how long a signature is asked for (s). The chain refuses it afterwards. */
export const validSeconds = 300;

/** The maximum difference between the clocks of clients and this server (s). */
const skewSeconds = 60;

/** The least time that a transaction needs to get into a block (s). */
const leastSeconds = 6;

/** CAIP-2 name of the chain. */
const networkOf = ({ chainId }: TokenDomain) => `eip155:${chainId}`;

/** The amount that a signed payment of the quote transfers, in smallest units: nothing more, because the signature names the quote's payer. */
export const signedAmount = (quote: Pick<QuoteRow, "amount_cents" | "rate" | "currency">): bigint =>
  exactAmount(quote.amount_cents, quote.rate, quote.currency);

/** What x402 (version 2, scheme `exact`) calls PaymentRequirements. The same for every request for the quote. */
export const requirementsOf = (quote: QuoteRow, token: TokenDomain) => ({
  scheme: "exact",
  network: networkOf(token),
  amount: String(signedAmount(quote)),
  asset: quote.asset,
  payTo: quote.receiver,
  maxTimeoutSeconds: validSeconds,
  extra: { name: token.name, version: token.version, x402PaymentId: quote.payment_id },
});

/** The authorization in the form that is signed, with addresses in lower case. */
export function authorizationIn({ payload }: SignedPayment): Authorization {
  const { from, to, value, validAfter, validBefore, nonce } = payload.authorization;
  return {
    from: from.toLowerCase(),
    to: to.toLowerCase(),
    value: BigInt(value),
    validAfter: BigInt(validAfter),
    validBefore: BigInt(validBefore),
    nonce: nonce.toLowerCase(),
  };
}

/** Why a signed payment is not what the quote asks for. Undefined if it is. `now` in ms. */
export function mismatch(signed: SignedPayment, quote: QuoteRow, token: TokenDomain, now: number): string | undefined {
  const { accepted } = signed;
  const { from, to, value, validAfter, validBefore } = authorizationIn(signed);
  const due = signedAmount(quote);
  const amount = (atomic: bigint) => `${coins(atomic, quote.currency)} ${quote.currency}`;
  const seconds = BigInt(Math.floor(now / secondMs));
  if (accepted.network !== networkOf(token)) return `is for ${accepted.network}, not for ${networkOf(token)}`;
  if (!sameAddress(accepted.asset, quote.asset)) return `is for the token ${accepted.asset}, not for ${quote.asset}`;
  if (!sameAddress(to, quote.receiver)) return `pays ${to}, not ${quote.receiver}`;
  if (quote.payer !== null && !sameAddress(from, quote.payer))
    return `pays from ${from}, but X-Payment-From named ${quote.payer}`;
  if (value !== due) return `transfers ${amount(value)}, but ${amount(due)} is due`;
  if (validAfter > seconds) return "is not valid yet";
  if (validBefore < seconds + BigInt(leastSeconds)) return "has expired, or expires before it can be settled";
  if (validBefore > seconds + BigInt(validSeconds + skewSeconds)) return `is valid for more than ${validSeconds} s`;
  return undefined;
}
