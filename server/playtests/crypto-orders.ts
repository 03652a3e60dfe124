import type { Order } from "../../src/contract/order-body.ts";
import type { ReadTx, Tx } from "../app/tx.ts";
import { isOpenFor, type Offer, openQuote, paymentRequired } from "../billing/crypto/quotes.ts";
import * as crypto from "../billing/crypto/store.ts";
import type { Received, Scope } from "../billing/crypto/types.ts";
import * as payments from "../billing/store.ts";
import * as games from "../games/store.ts";
import { keepMs } from "../http/idempotency.ts";
import { type ApiError, conflict } from "../lib/api-error.ts";
import { usd } from "../lib/money.ts";
import { cryptoReply } from "./order-replies.ts";
import { orderDescription } from "./orders.ts";
import { awaitsPayment, wasPaid } from "./slots/rules.ts";
import * as playtests from "./store.ts";

/** Orders paid with crypto: opening the quote of an order, and finding the order that a request pays. */

export const paysPlaytest =
  (playtestId: string): Scope =>
  (_, quote) =>
    quote.playtest_id === playtestId;

/** Matches the quote of an order when the same order is sent again together with its payment transaction. */
export const paysOrder =
  (gameId: string, order: Order): Scope =>
  async (q, quote) => {
    const playtest = quote.playtest_id === null ? undefined : await playtests.find(q, quote.playtest_id);
    return playtest !== undefined && isSameOrder(playtest, gameId, order);
  };

const isSameOrder = (playtest: playtests.PlaytestRow, gameId: string, order: Order) =>
  playtest.game_id === gameId &&
  playtest.visibility === order.visibility &&
  playtest.quantity === order.quantity &&
  playtest.duration_minutes === order.durationMinutes &&
  playtest.player_count === order.playerCount &&
  playtest.panel === (order.panel ?? null) &&
  playtest.ref === (order.ref ?? null) &&
  playtest.selection_mode === order.selectionMode &&
  playtest.target_countries === JSON.stringify(order.targetCountries ?? []) &&
  playtest.target_languages === JSON.stringify(order.targetLanguages ?? []) &&
  playtest.target_devices === JSON.stringify(order.targetDevices ?? []) &&
  playtest.target_ages === JSON.stringify(order.targetAges ?? []);

/**
 * The order that an earlier request with this idempotency key placed, with its last quote: one that still waits for its payment, or that
 * was paid while the key is remembered.
 */
export async function orderUnderKey(tx: ReadTx, ownerId: string, key: string | undefined, gameId: string, order: Order) {
  const quote = key === undefined ? undefined : await crypto.findByKey(tx, ownerId, key);
  const playtest = quote?.playtest_id ? await playtests.find(tx, quote.playtest_id) : undefined;
  if (!quote || !playtest || !isSameOrder(playtest, gameId, order)) return undefined;
  const isRemembered = wasPaid(playtest) && tx.now - playtest.created_at < keepMs;
  return isRemembered || awaitsPayment(playtest, tx.now) ? { playtest, quote } : undefined;
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
