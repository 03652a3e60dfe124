import type { ReadTx, Tx } from "../../app/tx.ts";
import type { Query } from "../../database/port.ts";
import { accounts, topUpTransfers } from "../../ledger/rules.ts";
import { postAll } from "../../ledger/store.ts";
import { type ApiError, invalid } from "../../lib/api-error.ts";
import { ChainDown, type SeenTransaction, type SeenTransfer } from "./chains/index.ts";
import { completeQuote } from "./complete-quote.ts";
import { depositOf, eventKey, hold } from "./hold.ts";
import { matchBooked } from "./matching.ts";
import { withTerms } from "./quote-terms.ts";
import { chainDown } from "./quotes.ts";
import { creditedInstead, refusal, taken, unmatched } from "./refusals.ts";
import { isDeclared, keptOf, release } from "./release.ts";
import { covers, judge, rivalsAt, worthOf } from "./rules.ts";
import * as signedPayments from "./signed/store.ts";
import * as crypto from "./store.ts";
import type { Found, Judged, Proof, Received, Scope } from "./types.ts";

/**
 * Records a final transaction for the owner who submitted it. Each transfer is recorded only once. A returned problem may have effects
 * that must be committed, such as money held in suspense. A thrown problem has none.
 */
export async function receive(tx: Tx, proof: Proof, { seen, rate }: Found, scope: Scope): Promise<Received | ApiError> {
  const booked = await crypto.depositsOf(tx, proof.chain, proof.txHash);
  const fresh = matchBooked(booked, seen.transfers).filter(({ deposit }) => !deposit);
  const judged: Judged[] = [];
  for (const { transfer } of fresh)
    if (transfer.currency === proof.currency) judged.push({ ...(await judgeOne(tx, proof, transfer, seen.at, scope)), rate });
  const paid = judged.find(({ verdict }) => verdict.is === "paid");
  if (paid) return applyDeposit(tx, proof, paid);
  const again = await repeat(tx, proof, booked, scope);
  if (again) return again;
  if (judged.some(({ verdict }) => verdict.is === "foreign")) throw taken();
  const [first] = judged;
  if (!first) throw booked.length > 0 ? taken() : noTransfer(proof, seen);
  return suspend(tx, proof, first);
}

function noTransfer({ chain, currency }: Proof, { transfers }: SeenTransaction): ApiError {
  const other = transfers[0]?.currency;
  const sent = other
    ? `it transfers ${other}, not ${currency}`
    : `it transfers no ${currency} to the receiver in the payment instructions`;
  return invalid("txHash", `does not pay this: ${sent} on ${chain}`);
}

async function judgeOne(
  tx: Query,
  { chain, ownerId }: Pick<Proof, "chain" | "ownerId">,
  transfer: SeenTransfer,
  at: number,
  scope: Scope,
): Promise<Omit<Judged, "rate">> {
  const signed = await judgeSigned(tx, chain, transfer, at);
  if (signed) {
    const isOwn = signed.verdict.quote.ownerId === ownerId && (await scope(tx, signed.verdict.quote.row));
    return isOwn ? signed : { transfer, at, verdict: { is: "foreign" } };
  }
  const { currency, to: receiver, amount, from } = transfer;
  const destination = { chain, currency, receiver };
  const exact = (await crypto.exactly(tx, destination, String(amount))).map(withTerms);
  const open = (await crypto.unpaidOf(tx, ownerId)).filter(
    (quote) => quote.chain === chain && quote.currency === currency && quote.receiver === receiver,
  );
  const mine: crypto.QuoteRow[] = [];
  for (const quote of open) if (await scope(tx, quote)) mine.push(quote);
  const declared = mine.filter(({ payer }) => payer !== null && payer === from);
  const rivals = await crypto.hasRivals(tx, destination, { ownerId, sender: from, ...rivalsAt(at) });
  const meant = (declared.length > 0 ? declared : mine).map(withTerms);
  const verdict = judge({ amount, at, from }, ownerId, { exact, mine: meant, rivals });
  if ("quote" in verdict && !(await scope(tx, verdict.quote.row))) throw taken();
  return { transfer, at, verdict };
}

/**
 * The quote of a transfer whose payer signed it for that quote, whatever its time: it was worth the quote's amount when it was signed.
 * Undefined for other transfers.
 */
async function judgeSigned(tx: Query, chain: Proof["chain"], transfer: SeenTransfer, at: number) {
  const { nonce, from, amount } = transfer;
  if (nonce === null || from === null) return undefined;
  const signed = await signedPayments.findSent(tx, { chain, payer: from, nonce });
  if (!signed || signed.amount_atomic !== String(amount)) return undefined;
  const quote = withTerms((await crypto.find(tx, signed.quote_id))!);
  return { transfer, at, verdict: { is: quote.paid ? "again" : "paid", quote }, signed } as const;
}

/** Finds the quote of a transfer that nobody submitted, by what was signed, by its exact amount or by its declared sender. Undefined if it is uncertain. */
export async function judgeUnnamed(tx: Query, chain: Proof["chain"], transfer: SeenTransfer, at: number) {
  const signed = await judgeSigned(tx, chain, transfer, at);
  if (signed) return signed;
  const { currency, to: receiver, amount, from } = transfer;
  const destination = { chain, currency, receiver };
  const exact = (await crypto.exactly(tx, destination, String(amount))).map(withTerms);
  for (const ownerId of new Set(exact.map((quote) => quote.ownerId))) {
    const verdict = judge({ amount, at, from }, ownerId, { exact, mine: [], rivals: true });
    if ("quote" in verdict) return { transfer, at, verdict };
  }
  if (exact.length > 0 || from === null) return undefined;
  const [ownerId, other] = await crypto.declarersOf(tx, destination, { sender: from, from: rivalsAt(at).from, at });
  if (ownerId === undefined || other !== undefined) return undefined;
  const found = await judgeOne(tx, { chain, ownerId }, transfer, at, () => true);
  return found.verdict.is === "paid" || (await isDeclared(tx, { ...found, rate: undefined })) ? found : undefined;
}

/** The reply for a transaction that was submitted before: the same as then, or one with the current state of the deposit. */
async function repeat(
  tx: ReadTx,
  proof: Proof,
  booked: readonly crypto.DepositRow[],
  scope: Scope,
): Promise<Received | ApiError | undefined> {
  for (const deposit of booked) {
    if (deposit.currency !== proof.currency) continue;
    const quote = deposit.payment_id === null ? undefined : await crypto.findByPayment(tx, deposit.payment_id);
    const isMine = deposit.owner_id === proof.ownerId;
    if (isMine && quote && !(await scope(tx, quote))) continue;
    if (isMine && deposit.status === "credited") {
      if (quote && (deposit.note === "order_over" || deposit.note === "frozen")) return creditedInstead(tx, deposit, quote);
      return { paymentId: deposit.payment_id!, cents: deposit.value_cents, quote };
    }
    if (isMine && quote) return refusal(deposit, quote);
    if (deposit.status === "suspense") return unmatched(deposit, await anchorOf(tx, proof.ownerId));
  }
  return undefined;
}

/** The id of an unpaid payment of the owner, which a proof for a deposit can be made under. */
const anchorOf = async (tx: Query, ownerId: string) => (await crypto.unpaidOf(tx, ownerId, 1))[0]?.payment_id;

export async function applyDeposit(
  tx: Tx,
  { chain, txHash }: Pick<Proof, "chain" | "txHash">,
  { transfer, verdict, rate, signed }: Judged,
): Promise<Received | ApiError> {
  if (verdict.is !== "paid") throw new Error("only what pays is applied");
  const { row: quote, atomic, ownerId } = verdict.quote;
  const { currency, amount } = transfer;
  const price = amount > atomic ? requireRate(rate, currency) : quote.rate;
  const cents = Math.max(quote.amount_cents, worthOf(amount, currency, price, { atomic, rate: quote.rate }));
  const key = eventKey(chain, txHash, transfer.index);
  if (signed) await signedPayments.setSettled(tx, signed.id, txHash, tx.now);
  const obstacle = await completeQuote(tx, quote, {
    txHash,
    cents,
    credit: (payment, settles) => {
      const from = accounts.crypto(chain, currency);
      const topUp = topUpTransfers({ eventKey: key, from, ownerId, paymentId: payment.id, cents, settles });
      return postAll(tx, topUp);
    },
  });
  const deposit = await crypto.insertDeposit(tx, {
    ...{ chain, tx_hash: txHash, ...depositOf(tx, transfer), owner_id: ownerId, payment_id: quote.payment_id },
    ...{ value_cents: cents, status: "credited", note: obstacle, rate: price },
  });
  return obstacle ? creditedInstead(tx, deposit, quote) : { paymentId: quote.payment_id, cents, quote };
}

/** Holds a transfer in suspense whose owner is not certain, or credits it at once if its declared sender is sufficient proof. */
export async function suspend(
  tx: Tx,
  { chain, txHash }: Pick<Proof, "chain" | "txHash">,
  judged: Judged,
): Promise<Received | ApiError> {
  const { transfer, verdict, at, signed } = judged;
  if (verdict.is === "unasked")
    throw invalid(
      "txHash",
      "is older than the payment, or belongs to no payment of yours. If you sent it, wait until it is recorded as an unmatched deposit, then prove that you control the sending address",
    );
  if (verdict.is === "foreign" || verdict.is === "paid") throw taken();
  const { row: quote, ownerId } = verdict.quote;
  const rate = requireRate(judged.rate, transfer.currency);
  const locked = covers(verdict.quote, at) ? { atomic: verdict.quote.atomic, rate: quote.rate } : undefined;
  const deposit = await hold(tx, {
    ...{ chain, tx_hash: txHash, transfer, note: verdict.is, owner_id: ownerId, payment_id: quote.payment_id, rate },
    cents: worthOf(transfer.amount, transfer.currency, rate, locked),
  });
  if (signed) await signedPayments.setSettled(tx, signed.id, txHash, tx.now);
  const kept = signed || (await isDeclared(tx, judged)) ? await keptOf(tx, deposit) : undefined;
  const by = signed
    ? ({ by: "signature", signature: signed.signature } as const)
    : ({ by: "declared", signature: null } as const);
  if (kept) return release(tx, kept, { evidence: { ...by, ownerId }, quote, at, rate });
  return refusal(deposit, quote);
}

/** 503 without a price, which is needed to value an amount that is not exactly as quoted. */
function requireRate(rate: number | undefined, currency: string): number {
  if (rate !== undefined) return rate;
  throw chainDown(new ChainDown(`The price of ${currency} is currently not available.`));
}
