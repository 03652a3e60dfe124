import { isDeepStrictEqual } from "node:util";
import type { Order } from "../../src/contract/order-body.ts";
import type { Context, ReadTx, Tx } from "../app/tx.ts";
import { isOpenFor, type Offer, openQuote, paymentRequired } from "../billing/crypto/quotes.ts";
import * as crypto from "../billing/crypto/store.ts";
import type { Received, Scope } from "../billing/crypto/types.ts";
import * as payments from "../billing/store.ts";
import type { Query } from "../database/port.ts";
import * as games from "../games/store.ts";
import { keepMs, otherRequest } from "../http/idempotency.ts";
import { type ApiError, conflict } from "../lib/api-error.ts";
import { usd } from "../lib/money.ts";
import { keysOf } from "./keys/service.ts";
import { isOrderedAs } from "./order-columns.ts";
import { cryptoReply } from "./order-replies.ts";
import { orderDescription } from "./orders.ts";
import { awaitsPayment, wasPaid } from "./slots/rules.ts";
import * as playtests from "./store.ts";

/** Orders paid with crypto: opening the quote of an order, and finding the order that a request pays. */

export const paysPlaytest =
  (playtestId: string): Scope =>
  (_, quote) =>
    quote.playtest_id === playtestId;

/**
 * Matches the quote of an order when the same order is sent again together with its payment transaction. Once it is paid, its owner may
 * have changed it, which makes it no other order.
 */
export const paysOrder =
  (context: Context, gameId: string, order: Order): Scope =>
  async (q, quote) => {
    const playtest = quote.playtest_id === null ? undefined : await playtests.find(q, quote.playtest_id);
    if (playtest?.game_id !== gameId) return false;
    return playtests.isIn(playtest, "pending_payment")
      ? isSameOrder(context, q, playtest, order)
      : isOrderedAs(playtest, order, { evenIfChanged: true });
  };

async function isSameOrder(context: Context, q: Query, playtest: playtests.PlaytestRow, order: Order): Promise<boolean> {
  if (!isOrderedAs(playtest, order, { evenIfChanged: false })) return false;
  return playtest.uses_keys === 0 || isDeepStrictEqual(await keysOf(context, q, playtest.id), order.keysForTesters);
}

/**
 * The order that an earlier request with this idempotency key placed, with its last quote: one that still waits for its payment, or that
 * was paid while the key is remembered. 422 if it is another order than this one.
 */
export async function orderUnderKey(tx: ReadTx, ownerId: string, key: string | undefined, gameId: string, order: Order) {
  const quote = key === undefined ? undefined : await crypto.findByKey(tx, ownerId, key);
  const playtest = quote?.playtest_id ? await playtests.find(tx, quote.playtest_id) : undefined;
  if (!quote || !playtest) return undefined;
  const isRemembered = wasPaid(playtest) && tx.now - playtest.created_at < keepMs;
  if (!isRemembered && !awaitsPayment(playtest, tx.now)) return undefined;
  if (playtest.game_id !== gameId || !(await isSameOrder(tx, tx, playtest, order))) throw otherRequest();
  return { playtest, quote };
}

/** The reply for an order that was paid since its key was used, such as by a transaction that was found later. 409 if something else paid it. */
export async function paidSince(tx: ReadTx, { playtest, quote }: { playtest: playtests.PlaytestRow; quote: crypto.QuoteRow }) {
  if ((await payments.find(tx, quote.payment_id))?.status === "completed") return cryptoReply(playtest, quote);
  throw conflict(`The order of this idempotency key was paid already: ${playtest.id}. Nothing was ordered or charged.`);
}

/** The money arrived and is credit, but did not pay the order: too little, or too late for its quote. */
export const creditedOnly = ({ cents }: Received) =>
  conflict(
    `${usd(cents)} arrived and was credited to your account, but it does not pay this order. Pay the order with --method credit, or request payment instructions again.`,
  );

export interface QuoteRequest {
  offer: Offer;
  cents: number;
  requestKey: string | undefined;
}

/** The 402 reply of an order and when it expires (ms). Reuses the order's open quote for this chain and currency, or opens one. */
export async function billOrder(
  tx: Tx,
  playtest: playtests.PlaytestRow,
  { offer, cents, requestKey }: QuoteRequest,
): Promise<{ problem: ApiError; until: number }> {
  const { id: playtestId, owner_id: ownerId, game_id: gameId } = playtest;
  const game = await games.find(tx, gameId);
  const description = `${orderDescription(playtest)}: ${game?.name ?? gameId}`;
  const now = tx.now;
  const open = (await crypto.unpaidOf(tx, ownerId)).find(
    (quote) => quote.playtest_id === playtestId && isOpenFor(quote, offer, now),
  );
  const quote =
    open ?? (await openQuote(tx, offer, { ownerId, cents, description, playtestId, payBy: playtest.pay_by, requestKey }));
  return { problem: paymentRequired(tx, quote, { description, gameId, token: offer.token }), until: quote.expires_at };
}
