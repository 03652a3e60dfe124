import type { Deps } from "../../app/deps.ts";
import type { Context, Tx } from "../../app/tx.ts";
import { fullRow } from "../../database/rows.ts";
import { ApiError, conflict, invalid, notConfigured, unavailable } from "../../lib/api-error.ts";
import { late } from "../../lib/late.ts";
import * as payments from "../store.ts";
import { type Chain, ChainDown } from "./chains/index.ts";
import { type Currency, coins, isPair, type Pair, sameAddress, uniqueAmount } from "./rules.ts";
import type { TokenDomain } from "./signatures/index.ts";
import { requirementsOf } from "./signed/rules.ts";
import * as crypto from "./store.ts";
import { scheduleScan } from "./watch.ts";
import { errorPayment, instructionHeaders, requirementsHeader } from "./x402.ts";

/** An available chain and currency with the current rate, fetched before the database transaction that creates the quote. */
export interface Offer {
  chain: Chain;
  currency: Currency;
  rate: number;
  /** The sending address that the caller declared. Null if none was declared. */
  payer: string | null;
  /** What a signed payment names. Undefined if none can be settled. */
  token: TokenDomain | undefined;
}

export const chainDown = (error: ChainDown) =>
  new ApiError("SERVICE_UNAVAILABLE", `${error.message} Nothing was charged. Try again later.`, {
    headers: { "Retry-After": "10" },
    cause: error,
  });

/** The chain and currency to pay with, and the declared sending address as the caller wrote it. */
export interface Wanted extends Pair {
  payer?: string | undefined;
}

const loadSignatures = late(() => import("./signatures/index.ts"));

/** The normalized declared sender. 422 if it is not an address of the chain, has a wrong checksum, or is the receiver. */
async function payerOn(chain: Chain, text: string): Promise<string> {
  const address = chain.addressOf(text);
  if (address === undefined) throw invalid("X-Payment-From", `must be an address on ${chain.name}`);
  const { hasValidChecksum } = await loadSignatures();
  if (!hasValidChecksum(text))
    throw invalid("X-Payment-From", "has a wrong checksum: check its upper-case and lower-case letters for a typing mistake");
  if (sameAddress(address, chain.receiver)) throw invalid("X-Payment-From", "is the address that receives the payment");
  return address;
}

/** 422 for a chain and currency that do not exist, 503 for one that this server does not accept or that is unavailable. */
export async function offerOf(deps: Deps, { chain: name, currency, payer: from }: Wanted): Promise<Offer> {
  if (!isPair(name, currency))
    throw invalid("X-Payment-Currency", `must be a currency of ${name}: ${currency} is not available there`);
  const chain = deps.chains.get(name);
  if (!chain || !deps.chains.pairs.some((pair) => pair.chain === name && pair.currency === currency))
    throw notConfigured(`This server does not accept ${currency} on ${name}. Nothing was charged.`);
  const payer = from === undefined ? null : await payerOn(chain, from);
  try {
    await chain.ready();
    return { chain, currency, rate: await deps.chains.rate(currency), payer, token: signedToken(deps, chain, currency) };
  } catch (error) {
    throw error instanceof ChainDown ? chainDown(error) : error;
  }
}

/** What payments of a currency on a chain name that their payers sign. Undefined if nobody settles them. */
export const signedToken = ({ facilitator }: Pick<Deps, "facilitator">, chain: Chain | undefined, currency: Currency) =>
  currency === "USDC" && chain && facilitator?.chains.includes(chain.name) ? chain.token : undefined;

/** The current rate in cents per whole coin. Undefined while it is unavailable. */
export async function rateOf(deps: Deps, currency: Currency): Promise<number | undefined> {
  try {
    return await deps.chains.rate(currency);
  } catch (error) {
    if (error instanceof ChainDown) return undefined;
    throw error;
  }
}

export interface Bill {
  ownerId: string;
  cents: number;
  description: string;
  playtestId?: string;
  /** When the order ends unless it is paid (ms). */
  payBy?: number | null;
  /** The idempotency key of the order. */
  requestKey?: string | undefined;
}

const maxDraws = 50;

/** Creates a quote, with an amount that no other reserved quote has, and its pending payment. */
export async function openQuote(tx: Tx, offer: Offer, bill: Bill): Promise<crypto.QuoteRow> {
  const now = tx.now;
  const { maxOpenQuotes, quoteMs, reserveMs } = tx.config.crypto;
  if ((await crypto.countOpen(tx, bill.ownerId, now)) >= maxOpenQuotes)
    throw conflict(
      `You already have ${maxOpenQuotes} open crypto payments. Nothing was created. Pay one, or wait until one expires.`,
    );
  const payment = insertPayment(tx, bill, Math.min(now + quoteMs, bill.payBy ?? Number.POSITIVE_INFINITY));
  const quote = await insertUnique(tx, offer, bill, payment);
  const { id } = payment;
  await tx.schedule({ kind: "lapse-payment", key: id, payload: { paymentId: id }, runAt: quote.expires_at });
  await scheduleScan(tx, offer.chain.name, now + tx.config.crypto.scanMs);
  const releaseAt = quote.expires_at + reserveMs;
  await tx.schedule({ kind: "release-quote", key: quote.id, payload: { quoteId: quote.id }, runAt: releaseAt });
  return quote;
}

async function insertUnique(
  tx: Tx,
  { chain, currency, rate, payer }: Offer,
  { ownerId, cents, playtestId, requestKey }: Bill,
  payment: payments.PaymentRow,
): Promise<crypto.QuoteRow> {
  for (let draw = 0; draw < maxDraws; draw++) {
    const quote = fullRow("crypto_quotes", {
      id: tx.newId(),
      payment_id: payment.id,
      owner_id: ownerId,
      playtest_id: playtestId,
      request_key: requestKey,
      chain: chain.name,
      currency,
      receiver: chain.receiver,
      asset: currency === "USDC" ? chain.usdc : currency,
      amount_atomic: String(uniqueAmount(cents, rate, currency, tx.randomBytes(6).readUIntBE(0, 6))),
      amount_cents: cents,
      rate,
      paid: 0,
      reserved: 1,
      created_at: payment.created_at,
      expires_at: payment.expires_at!,
      payer,
    });
    if (await crypto.insertQuote(tx, quote)) return quote;
  }
  throw unavailable(
    "Too many crypto payments of this amount are open. Nothing was created. Try again later, or use another currency.",
    60,
  );
}

function insertPayment(tx: Tx, bill: Bill, expiresAt: number): payments.PaymentRow {
  const now = tx.now;
  const id = tx.newId();
  return payments.insert(tx, {
    id,
    owner_id: bill.ownerId,
    amount_cents: bill.cents,
    status: "pending",
    provider: "x402",
    external_id: `x402_${id}`,
    purpose: bill.playtestId === undefined ? "credit" : "order",
    playtest_id: bill.playtestId,
    description: bill.description,
    expires_at: expiresAt,
    created_at: now,
    updated_at: now,
  });
}

/** Whether a quote can still be paid as offered, so that no other one is needed. */
export const isOpenFor = (quote: crypto.QuoteRow, { chain, currency, payer }: Offer, now: number): boolean =>
  quote.paid === 0 &&
  quote.chain === chain.name &&
  quote.currency === currency &&
  (payer === null || quote.payer === payer) &&
  quote.expires_at > now;

/** Where a quote is paid. */
const addressOf = ({ baseUrl }: Context["config"], { playtest_id: playtestId }: crypto.QuoteRow) =>
  `${baseUrl}/api/v1${playtestId === null ? "/billing/credit/x402" : `/playtests/${playtestId}/pay`}`;

/** The 402 with the payment instructions; for standard x402 clients too, if there is a `token` that they can sign for. */
export function paymentRequired(
  { config }: Pick<Context, "config">,
  quote: crypto.QuoteRow,
  what: { description: string; token: TokenDomain | undefined; gameId?: string; message?: string },
): ApiError {
  const instructions = {
    paymentId: quote.payment_id,
    chain: quote.chain,
    currency: quote.currency,
    atomic: BigInt(quote.amount_atomic),
    receiver: quote.receiver,
    asset: quote.asset,
    expiresAt: quote.expires_at,
    description: what.description,
    playtestId: quote.playtest_id,
    gameId: what.gameId ?? null,
  };
  const amount = `${coins(instructions.atomic, quote.currency)} ${quote.currency}`;
  const until = new Date(quote.expires_at).toISOString();
  const message = `Send exactly ${amount} on ${quote.chain} to ${quote.receiver} before ${until}, then repeat this request with the X-Payment header.`;
  return new ApiError("PAYMENT_REQUIRED", what.message ?? message, {
    payment: errorPayment(instructions),
    headers: {
      ...instructionHeaders(instructions),
      ...(what.token &&
        requirementsHeader(requirementsOf(quote, what.token), { url: addressOf(config, quote), description: what.description })),
    },
  });
}
