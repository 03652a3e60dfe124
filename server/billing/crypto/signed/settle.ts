import type { SignedPayment } from "../../../../src/contract/headers.ts";
import type { Deps } from "../../../app/deps.ts";
import { fullRow } from "../../../database/rows.ts";
import { ApiError, conflict, invalid, unavailable, withHeaders } from "../../../lib/api-error.ts";
import { late } from "../../../lib/late.ts";
import { usd } from "../../../lib/money.ts";
import { obstacleOf } from "../../pay-order.ts";
import type { Chain } from "../chains/index.ts";
import type { Facilitator, SignedTransfer } from "../facilitator.ts";
import { ask, lookAgainSeconds, notFinal } from "../proofs.ts";
import { paymentRequired, rateOf } from "../quotes.ts";
import type { TokenDomain } from "../signatures/index.ts";
import * as crypto from "../store.ts";
import type { Found, Proof, Scope } from "../types.ts";
import { scheduleScan } from "../watch.ts";
import { receiptHeader } from "../x402.ts";
import { scheduleEnd } from "./end.ts";
import { authorizationIn, mismatch, requirementsOf, signedAmount } from "./rules.ts";
import * as store from "./store.ts";

/**
 * Settles a payment that a standard x402 client signed. What is sent to the chain is stored before, so that it is found there whatever
 * becomes of this request: the transfer names its nonce, and the nonce its quote.
 */

const header = "PAYMENT-SIGNATURE";
const nothing = "Nothing was ordered or charged.";
const loadSignatures = late(() => import("../signatures/index.ts"));

const cannotSettle =
  `is a signed payment, which this server cannot settle. ${nothing} Send exactly the amount of the payment ` +
  "instructions to their receiver in a transaction of your own, then repeat the request with its hash in the header " +
  'X-Payment: {"txHash":"HASH","chain":"base","currency":"USDC"}';

/** The request that a signed payment came with. */
interface Offered {
  ownerId: string;
  signed: SignedPayment;
  scope: Scope;
}

/** A quote that can be settled, and by what. */
interface Payable {
  facilitator: Facilitator;
  chain: Chain;
  token: TokenDomain;
  quote: crypto.QuoteRow;
}

/** A transaction that was found on the chain, and the header that says so. */
export interface SettledPayment extends Found {
  proof: Proof;
  headers: Record<string, string>;
}

/**
 * Sends a signed payment to its chain, once, and looks its transaction up. 422 if it is not what its quote asks for, 409 if the quote or the
 * nonce was used, 402 if it was refused, is not final, or its outcome is not known; 503 if nobody can be asked and nothing was sent.
 */
export async function settleSigned(deps: Deps, offered: Offered): Promise<SettledPayment> {
  const payable = await payableOf(deps, offered);
  const known = await knownAs(deps, offered, payable);
  // What was sent in time may be asked about later.
  const wrong = known ? undefined : mismatch(offered.signed, payable.quote, payable.token, deps.clock.now());
  if (wrong !== undefined) throw invalid(header, `${wrong}. ${nothing}`);
  await checkSignature(offered, payable);
  const row = known ?? newRow(deps, offered, payable);
  const transfer = transferOf(offered, payable, row);
  if (!known) await begin(deps, payable, transfer, row);
  const txHash = row.tx_hash ?? (await send(deps, payable, transfer, { id: row.id, isRepeat: known !== undefined }));
  return found(deps, payable, { ...row, tx_hash: txHash });
}

/** The quote that it names, and who settles it. */
async function payableOf(deps: Deps, { ownerId, signed, scope }: Offered): Promise<Payable> {
  const { facilitator } = deps;
  if (!facilitator) throw invalid(header, cannotSettle);
  const paymentId = signed.accepted.extra.x402PaymentId;
  const quote = await deps.store.read(async (q) => {
    const named = await crypto.findByPayment(q, paymentId);
    return named?.owner_id === ownerId && (await scope(q, named)) ? named : undefined;
  });
  if (!quote)
    throw conflict(
      `This request has no crypto payment ${paymentId}. ${nothing} Request payment instructions, then sign what they ask for.`,
    );
  const chain = deps.chains.get(quote.chain);
  if (!chain?.token || quote.currency !== "USDC" || !facilitator.chains.includes(quote.chain))
    throw invalid(header, cannotSettle);
  return { facilitator, chain, token: chain.token, quote };
}

/** The same signed payment as an earlier request sent it. 409 if it was for another quote, or was refused. */
async function knownAs(deps: Deps, { signed }: Offered, { quote }: Payable): Promise<store.SignedRow | undefined> {
  const { from: payer, nonce } = authorizationIn(signed);
  const { chain, asset } = quote;
  const known = await deps.store.read((q) => store.find(q, { chain, asset, payer, nonce }));
  if (known && known.quote_id !== quote.id) throw conflict(`This signature was used for another payment. ${nothing}`);
  if (known?.status === "failed")
    throw conflict(`This signature was refused before (${known.error}). ${nothing} Sign the payment again.`);
  return known;
}

async function checkSignature({ signed }: Offered, { token }: Payable): Promise<void> {
  const authorization = authorizationIn(signed);
  const { authorizerOf } = await loadSignatures();
  if (authorizerOf(token, authorization, signed.payload.signature) === authorization.from) return;
  throw invalid(
    header,
    `is not signed by the key of ${authorization.from}. Signatures of contract accounts are not accepted. ${nothing}`,
  );
}

function newRow(deps: Deps, { ownerId, signed }: Offered, { quote }: Payable): store.SignedRow {
  const { from: payer, nonce, validBefore } = authorizationIn(signed);
  const now = deps.clock.now();
  return fullRow("signed_payments", {
    id: deps.newId(),
    quote_id: quote.id,
    owner_id: ownerId,
    chain: quote.chain,
    asset: quote.asset,
    payer,
    nonce,
    amount_atomic: String(signedAmount(quote)),
    valid_before: Number(validBefore) * 1000,
    signature: signed.payload.signature,
    status: "settling",
    created_at: now,
    updated_at: now,
  });
}

function transferOf({ signed }: Offered, { quote, token }: Payable, row: store.SignedRow): SignedTransfer {
  const requirements = requirementsOf(quote, token);
  const payload = { x402Version: 2, accepted: requirements, payload: signed.payload };
  return { quote, payer: row.payer, nonce: row.nonce, amount: row.amount_atomic, payload, requirements };
}

/** The 402 of a payment that was refused: the quote can be paid again. */
function refused(deps: Deps, { quote, token }: Payable, { payer, amount }: SignedTransfer, reason: string): ApiError {
  const message = `The payment was refused (${reason}). ${nothing} Sign it again, or pay another way.`;
  const description = quote.playtest_id === null ? "Playtest credit" : "Playtests";
  const { network } = requirementsOf(quote, token);
  const receipt = receiptHeader({ success: false, errorReason: reason, transaction: "", network, payer, amount });
  return withHeaders(paymentRequired(deps, quote, { description, token, message }), receipt);
}

/** Asks whether the chain would take it, and stores that it will be sent. */
async function begin(deps: Deps, payable: Payable, transfer: SignedTransfer, row: store.SignedRow): Promise<void> {
  const open = (quote: crypto.QuoteRow | undefined, now: number) => {
    if (!quote || quote.paid === 1) throw conflict(`This payment was made already. ${nothing}`);
    if (quote.expires_at <= now)
      throw conflict(`The payment instructions have expired. ${nothing} Request new ones, then sign those.`);
  };
  open(payable.quote, deps.clock.now());
  const reason = await verified(deps, payable, transfer);
  if (reason !== undefined) throw refused(deps, payable, transfer, reason);
  await deps.store.write(async (tx) => {
    const quote = await crypto.findByPayment(tx, payable.quote.payment_id);
    open(quote, tx.now);
    // The money would only become credit.
    if (quote?.playtest_id && (await obstacleOf(tx, quote.owner_id, quote.playtest_id)))
      throw conflict(`This order cannot begin any more: it was cancelled or paid, or a disputed payment holds it up. ${nothing}`);
    if (!(await store.add(tx, row)))
      throw conflict(
        `Another signed payment for the same instructions is being settled. Do not sign again: repeat this request in ${lookAgainSeconds} s. ${nothing}`,
      );
    await scheduleEnd(tx, row);
  });
}

async function verified(deps: Deps, { facilitator }: Payable, transfer: SignedTransfer): Promise<string | undefined> {
  try {
    return await facilitator.verify(transfer);
  } catch (error) {
    deps.log.warn({ err: error }, "the x402 facilitator could not verify a payment");
    throw unavailable(
      `The payment could not be checked, because the facilitator does not answer. ${nothing} Try again later.`,
      lookAgainSeconds,
      error,
    );
  }
}

/**
 * Sends it to the chain; the transaction's hash. A repetition may be sent once more, because the chain takes a nonce once, but is never
 * taken for refused: the first may have arrived.
 */
async function send(
  deps: Deps,
  payable: Payable,
  transfer: SignedTransfer,
  { id, isRepeat }: { id: string; isRepeat: boolean },
): Promise<string> {
  const outcome = await payable.facilitator.settle(transfer);
  const txHash = outcome.is === "settled" ? payable.chain.normalize(outcome.transaction) : undefined;
  const isRefused = outcome.is === "refused" && !isRepeat;
  await deps.store.write(async (tx) => {
    const updated_at = tx.now;
    if (txHash !== undefined) await store.note(tx, id, { tx_hash: txHash, updated_at });
    else if (isRefused) await store.note(tx, id, { status: "failed", error: outcome.reason, updated_at });
    // Whatever was said, it may arrive.
    await scheduleScan(tx, payable.quote.chain, tx.now + lookAgainSeconds * 1000);
  });
  if (txHash !== undefined) return txHash;
  if (isRefused) throw refused(deps, payable, transfer, outcome.reason);
  deps.log.warn({ paymentId: payable.quote.payment_id, outcome }, "the outcome of a signed payment is not known");
  throw outcomeUnknown(payable.quote);
}

const outcomeUnknown = ({ amount_cents: cents }: crypto.QuoteRow) =>
  new ApiError(
    "PAYMENT_REQUIRED",
    `It is not known whether the payment of ${usd(cents)} was made. Do not sign or pay again. If it was, the server finds it and completes this. Repeat this request with the same PAYMENT-SIGNATURE in ${lookAgainSeconds} s.`,
    { headers: { "Retry-After": String(lookAgainSeconds) } },
  );

/** The transaction as the chain shows it, which counts, not what the facilitator said. */
async function found(
  deps: Deps,
  { chain, quote, token }: Payable,
  row: store.SignedRow & { tx_hash: string },
): Promise<SettledPayment> {
  const { tx_hash: txHash, payer, amount_atomic: amount } = row;
  const proof: Proof = { ownerId: row.owner_id, chain: quote.chain, currency: quote.currency, txHash };
  const seen = await ask(() => chain.find(txHash));
  if (!seen?.final) throw await notFinal(deps, proof, seen !== undefined);
  if (seen.status === "reverted" || !seen.transfers.some(({ nonce, from }) => nonce === row.nonce && from === payer)) {
    const about = { paymentId: quote.payment_id, txHash };
    deps.log.warn(about, "the facilitator named a transaction that does not settle the payment");
    throw outcomeUnknown(quote);
  }
  const { network } = requirementsOf(quote, token);
  const headers = receiptHeader({ success: true, transaction: txHash, network, payer, amount });
  return { proof, seen, rate: await rateOf(deps, quote.currency), headers };
}
