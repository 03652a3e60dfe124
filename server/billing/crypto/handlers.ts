import type { Tx } from "../../app/tx.ts";
import type { Caller, Handlers } from "../../http/call.ts";
import { CommittedError, WithHeaders } from "../../http/call.ts";
import { ApiError, conflict, invalid, withHeaders } from "../../lib/api-error.ts";
import { take } from "../budgets/service.ts";
import { planPayment, withinBudgets } from "../budgets/spending.ts";
import { requirePayments } from "../payments.ts";
import { finalConfirmations, sandboxHash } from "./chains/sandbox.ts";
import { receive } from "./deposits.ts";
import { wantedOf } from "./headers.ts";
import { type Bill, isOpenFor, type Offer, offerOf, openQuote, paymentRequired } from "./quotes.ts";
import { isPair } from "./rules.ts";
import { findByNonce, insertTransaction } from "./sandbox-chain-store.ts";
import { sentPayment } from "./sent.ts";
import { findByKey } from "./store.ts";
import type { Scope } from "./types.ts";
import { scheduleScan } from "./watch.ts";

const isTopUp: Scope = (_, quote) => quote.playtest_id === null;

/** The open quote of an earlier request with this idempotency key, whose stored reply was replaced by that to an attempt to pay it. */
async function topUpUnderKey(tx: Tx, offer: Offer, { ownerId, cents, requestKey }: Bill) {
  const quote = requestKey === undefined ? undefined : await findByKey(tx, ownerId, requestKey);
  if (quote?.playtest_id !== null || quote.amount_cents !== cents) return undefined;
  return isOpenFor(quote, offer, tx.now) ? quote : undefined;
}

/** Opens a quote. The budgets of the caller count it until it expires, and from then on if it is paid. */
async function openWithinBudgets(tx: Tx, caller: Caller, offer: Offer, bill: Bill) {
  const planned = await planPayment(tx, caller, bill.cents);
  const quote = await openQuote(tx, offer, bill);
  await take(tx, planned, { paymentId: quote.payment_id });
  return quote;
}

/** Buying credit with crypto (request instructions, then submit the transaction), and creating sandbox transactions. */
export const crypto = {
  async buyCreditWithCrypto(call) {
    const ownerId = call.principal.userId;
    const sent = await sentPayment(call.deps, { headers: call.headers, ownerId, scope: isTopUp });
    if (sent) {
      return call.commit(async (tx) => {
        const outcome = await receive(tx, sent.proof, sent, isTopUp);
        if (outcome instanceof ApiError) return new CommittedError(withHeaders(outcome, sent.headers), 0);
        const message = "The payment was received and credited to your account.";
        return new WithHeaders({ message, paymentId: outcome.paymentId, creditedCents: outcome.cents }, sent.headers);
      });
    }
    requirePayments(call.deps);
    const { amountCents } = call.body;
    if (amountCents === undefined) throw invalid("amountCents", "is required to get payment instructions");
    const offer = await offerOf(call.deps, wantedOf(call.headers));
    const ask = async (tx: Tx) => {
      const description = "Playtest credit";
      const requestKey = call.idempotencyKey;
      const bill = { ownerId, cents: amountCents, description, requestKey };
      const quote = (await topUpUnderKey(tx, offer, bill)) ?? (await openWithinBudgets(tx, call.principal, offer, bill));
      return new CommittedError(paymentRequired(tx, quote, { description, token: offer.token }), quote.expires_at);
    };
    return call.commit((tx) => withinBudgets(tx, () => ask(tx)));
  },

  async createTransaction(call) {
    const { chain, currency, to, amount, from, nonce, confirmations = finalConfirmations, status } = call.body;
    if (!isPair(chain, currency)) throw invalid("currency", `${currency} is not available on ${chain}`);
    const sender = from === undefined ? null : call.deps.chains.get(chain)?.addressOf(from);
    if (sender === undefined) throw invalid("from", `must be an address on ${chain}`);
    return call.commit(async (tx) => {
      const txHash = sandboxHash(chain, call.deps.randomBytes);
      const moved = {
        chain,
        currency,
        receiver: to,
        amount_atomic: String(BigInt(amount)),
        status,
        sender,
        nonce: nonce?.toLowerCase() ?? null,
      };
      if (sender !== null && nonce !== undefined && (await findByNonce(tx, chain, sender, nonce.toLowerCase())))
        throw conflict("The sender used this nonce before. No transaction was created.");
      await scheduleScan(tx, chain, tx.now + tx.config.crypto.scanMs);
      await insertTransaction(tx, { ...moved, tx_hash: txHash, confirmations, created_at: tx.now });
      return { txHash };
    });
  },
} satisfies Partial<Handlers>;
