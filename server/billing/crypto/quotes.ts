import type { Deps } from "../../app/deps.ts";
import type { Query } from "../../database/port.ts";
import { conflict, invalid, Problem, unavailable } from "../../lib/problem.ts";
import * as payments from "../store.ts";
import { scheduleScan } from "./arrivals.ts";
import { type Chain, ChainDown } from "./chains/index.ts";
import { type Currency, coins, isPair, type Pair, uniqueAmount } from "./rules.ts";
import * as crypto from "./store.ts";
import { errorPayment, instructionHeaders } from "./x402.ts";

/** A chain that takes the currency just now, and what the coin is worth: fetched before the transaction that quotes. */
export interface Offer {
  chain: Chain;
  currency: Currency;
  rate: number;
}

export const chainDown = (error: ChainDown) =>
  new Problem("SERVICE_UNAVAILABLE", `${error.message} Nothing was charged. Try again later.`, {
    headers: { "Retry-After": "10" },
    cause: error,
  });

/** 422 for what cannot be paid with at all, 503 for what this server does not take, or cannot just now. */
export async function offerOf(deps: Deps, { chain: name, currency }: Pair): Promise<Offer> {
  if (!isPair(name, currency))
    throw invalid("X-Payment-Currency", `must be a currency of ${name}: ${currency} is not available there`);
  const chain = deps.chains.get(name);
  if (!chain || !deps.chains.pairs.some((pair) => pair.chain === name && pair.currency === currency))
    throw unavailable(`This server does not accept ${currency} on ${name}. Nothing was charged.`, 3600);
  try {
    await chain.ready();
    return { chain, currency, rate: await deps.chains.rate(currency) };
  } catch (error) {
    throw error instanceof ChainDown ? chainDown(error) : error;
  }
}

export interface Bill {
  ownerId: string;
  cents: number;
  description: string;
  playtestId?: string;
  /** The idempotency key of the order. */
  requestKey?: string | undefined;
}

const maxDraws = 50;

/** Opens a quote with an amount no other reserved quote has, and the pending payment it is for. */
export async function openQuote(deps: Deps, tx: Query, offer: Offer, bill: Bill): Promise<crypto.QuoteRow> {
  const now = deps.clock.now();
  const { maxOpenQuotes, quoteMs, reserveMs } = deps.config.crypto;
  if ((await crypto.countOpen(tx, bill.ownerId, now)) >= maxOpenQuotes)
    throw conflict(
      `You already have ${maxOpenQuotes} open crypto payments. Nothing was created. Pay one, or wait until one expires.`,
    );
  const payment = pendingPayment(deps, bill, now + quoteMs);
  await payments.insert(tx, payment);
  const quote = await insertUnique(deps, tx, offer, bill, payment);
  const { id } = payment;
  await deps.jobs.schedule(tx, { kind: "lapse-payment", key: id, payload: { paymentId: id }, runAt: quote.expires_at });
  await scheduleScan(deps, tx, offer.chain.name, now + deps.config.crypto.scanMs);
  const release = { kind: "release-quote", key: quote.id, payload: { quoteId: quote.id } };
  await deps.jobs.schedule(tx, { ...release, runAt: quote.expires_at + reserveMs });
  return quote;
}

async function insertUnique(
  deps: Deps,
  tx: Query,
  { chain, currency, rate }: Offer,
  { ownerId, cents, playtestId, requestKey }: Bill,
  payment: payments.PaymentRow,
): Promise<crypto.QuoteRow> {
  for (let draw = 0; draw < maxDraws; draw++) {
    const quote: crypto.QuoteRow = {
      id: deps.newId(),
      payment_id: payment.id,
      owner_id: ownerId,
      playtest_id: playtestId ?? null,
      request_key: requestKey ?? null,
      chain: chain.name,
      currency,
      receiver: chain.receiver,
      asset: currency === "USDC" ? chain.usdc : currency,
      amount_atomic: String(uniqueAmount(cents, rate, currency, deps.randomBytes(6).readUIntBE(0, 6))),
      amount_cents: cents,
      rate,
      paid: 0,
      reserved: 1,
      created_at: payment.created_at,
      expires_at: payment.expires_at!,
    };
    if (await crypto.insertQuote(tx, quote)) return quote;
  }
  throw unavailable(
    "Too many crypto payments of this amount are open. Nothing was created. Try again later, or use another currency.",
    60,
  );
}

function pendingPayment(deps: Deps, bill: Bill, expiresAt: number): payments.PaymentRow {
  const now = deps.clock.now();
  const id = deps.newId();
  return {
    id,
    owner_id: bill.ownerId,
    amount_cents: bill.cents,
    status: "pending",
    provider: "x402",
    external_id: `x402_${id}`,
    purpose: bill.playtestId === undefined ? "credit" : "order",
    playtest_id: bill.playtestId ?? null,
    subscription_id: null,
    return_url: null,
    description: bill.description,
    checkout_hash: null,
    expires_at: expiresAt,
    completed_at: null,
    flagged: null,
    created_at: now,
    updated_at: now,
  };
}

/** The 402 with everything needed to pay. `path` is the address that was asked, below `/api/v1`. */
export function paymentRequired(
  deps: Deps,
  quote: crypto.QuoteRow,
  what: { path: string; description: string; gameId?: string; message?: string },
): Problem {
  const instructions = {
    paymentId: quote.payment_id,
    chain: quote.chain,
    currency: quote.currency,
    atomic: BigInt(quote.amount_atomic),
    receiver: quote.receiver,
    asset: quote.asset,
    expiresAt: quote.expires_at,
    description: what.description,
    resource: `${deps.config.baseUrl}/api/v1${what.path}`,
    playtestId: quote.playtest_id,
    gameId: what.gameId ?? null,
  };
  const amount = `${coins(instructions.atomic, quote.currency)} ${quote.currency}`;
  const until = new Date(quote.expires_at).toISOString();
  const message = `Send exactly ${amount} on ${quote.chain} to ${quote.receiver} before ${until}, then repeat this request with the X-Payment header.`;
  return new Problem("PAYMENT_REQUIRED", what.message ?? message, {
    payment: errorPayment(instructions),
    headers: instructionHeaders(instructions, deps.clock.now()),
  });
}
