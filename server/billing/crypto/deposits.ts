import type { Deps } from "../../app/deps.ts";
import type { Query } from "../../database/port.ts";
import { accounts, suspenseTransfer, topUpTransfers } from "../../ledger/rules.ts";
import { balance, post, postAll } from "../../ledger/store.ts";
import { conflict, invalid, Problem } from "../../lib/problem.ts";
import { emitPayment } from "../payments.ts";
import * as payments from "../store.ts";
import type { SeenTransaction, SeenTransfer } from "./chains/index.ts";
import type { Proof, Scope } from "./proofs.ts";
import { centsOf, coins, judge, type Verdict } from "./rules.ts";
import * as crypto from "./store.ts";

/** A transfer that was credited, with the quote it paid. */
export interface Received {
  deposit: crypto.DepositRow;
  quote: crypto.QuoteRow;
}

export interface Judged {
  transfer: SeenTransfer;
  verdict: Verdict<Weighed>;
}

/** A quote as the pure rules see it, with its row. */
interface Weighed {
  row: crypto.QuoteRow;
  ownerId: string;
  atomic: bigint;
  createdAt: number;
  expiresAt: number;
  paid: boolean;
}

export const weigh = (row: crypto.QuoteRow): Weighed => ({
  row,
  ownerId: row.owner_id,
  atomic: BigInt(row.amount_atomic),
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  paid: row.paid === 1,
});

/**
 * Books a final transaction for the owner who named it, once for ever per transfer. A problem that is
 * returned may leave effects that must stay, such as money kept in suspense; one that is thrown leaves none.
 */
export async function receive(
  deps: Deps,
  tx: Query,
  proof: Proof,
  seen: SeenTransaction,
  scope: Scope,
): Promise<Received | Problem> {
  const booked = await crypto.depositsOf(tx, proof.chain, proof.txHash);
  const fresh = transfersOf(proof, seen).filter(({ index }) => !booked.some(({ tx_index }) => tx_index === index));
  const judged: Judged[] = [];
  for (const transfer of fresh) judged.push(await judgeOne(tx, proof, transfer, seen.at, scope));
  const paid = judged.find(({ verdict }) => verdict.is === "paid");
  if (paid) return applyDeposit(deps, tx, proof, paid);
  const again = await repeat(tx, proof, booked, scope);
  if (again) return again;
  if (judged.some(({ verdict }) => verdict.is === "foreign")) throw taken();
  const [first] = judged;
  if (!first) throw booked.length > 0 ? taken() : noTransfer(proof, seen);
  return suspend(deps, tx, proof, first);
}

const transfersOf = ({ currency }: Proof, seen: SeenTransaction) => seen.transfers.filter((one) => one.currency === currency);

export const taken = () => conflict("This transaction was already used for another payment. Nothing was changed.");

function noTransfer({ chain, currency }: Proof, { transfers }: SeenTransaction): Problem {
  const other = transfers[0]?.currency;
  const sent = other
    ? `it transfers ${other}, not ${currency}`
    : `it transfers no ${currency} to the receiver in the payment instructions`;
  return invalid("txHash", `does not pay this: ${sent} on ${chain}`);
}

async function judgeOne(tx: Query, proof: Proof, transfer: SeenTransfer, at: number, scope: Scope): Promise<Judged> {
  const { chain, ownerId } = proof;
  const { currency, to: receiver, amount } = transfer;
  const till = { chain, currency, receiver };
  const exact = (await crypto.exactly(tx, till, String(amount))).map(weigh);
  const open = (await crypto.unpaidOf(tx, ownerId)).filter(
    (quote) => quote.chain === chain && quote.currency === currency && quote.receiver === receiver,
  );
  const mine: Weighed[] = [];
  for (const quote of open) if (await scope(tx, quote)) mine.push(weigh(quote));
  const rivals = await crypto.hasRivals(tx, till, ownerId, at);
  const verdict = judge({ amount, at }, ownerId, { exact, mine, rivals });
  if ("quote" in verdict && !(await scope(tx, verdict.quote.row))) throw taken();
  return { transfer, verdict };
}

/** A transaction that was named before answers as it did then; one that was kept aside as nobody's says so. */
async function repeat(
  tx: Query,
  proof: Proof,
  booked: readonly crypto.DepositRow[],
  scope: Scope,
): Promise<Received | Problem | undefined> {
  for (const deposit of booked) {
    if (deposit.payment_id === null && deposit.currency === proof.currency) return unmatched();
    if (deposit.payment_id === null || deposit.owner_id !== proof.ownerId) continue;
    const quote = (await crypto.findByPayment(tx, deposit.payment_id))!;
    if (!(await scope(tx, quote))) continue;
    return deposit.note === null ? { deposit, quote } : refusal(deposit, quote);
  }
  return undefined;
}

export async function applyDeposit(
  deps: Deps,
  tx: Query,
  proof: Proof,
  { transfer, verdict }: Judged,
): Promise<Received | Problem> {
  if (verdict.is !== "paid") throw new Error("only what pays is settled");
  const quote = verdict.quote.row;
  const now = deps.clock.now();
  await crypto.setPaid(tx, quote.id);
  const payment = (await payments.find(tx, quote.payment_id))!;
  await payments.complete(tx, payment, now);
  const cents = Math.max(quote.amount_cents, centsOf(transfer.amount, quote.rate, quote.currency));
  await payments.setReceived(tx, payment.id, proof.txHash, cents);
  const { playtest_id: playtestId, payment_id: paymentId, amount_cents: amountCents } = quote;
  await addCredit(deps, tx, { proof, transfer, payment, cents, needed: playtestId === null ? 0 : amountCents });
  const over = playtestId !== null && !(await deps.paidOrders.awaitsPayment(deps, tx, playtestId));
  const deposit = depositOf(deps, proof, transfer, quote, {
    value_cents: cents,
    status: "credited",
    note: over ? "order_over" : null,
  });
  await crypto.insertDeposit(tx, deposit);
  await emitPayment(deps, tx, "payment.completed", { ...payment, amount_cents: cents });
  if (over) {
    await payments.flag(tx, payment.id, "the order had ended when it was paid; the amount was credited");
    return refusal(deposit, quote);
  }
  if (playtestId !== null) await deps.paidOrders.onPaid(deps, tx, { playtestId, paymentId, amountCents });
  return { deposit, quote };
}

/** The money becomes credit; beyond what an order needs it first settles what a chargeback left owing. */
async function addCredit(deps: Deps, tx: Query, { proof, transfer, payment, cents, needed }: Arrival): Promise<void> {
  const owed = await balance(tx, accounts.receivable(payment.owner_id));
  const topUp = topUpTransfers({
    eventKey: eventKey(proof, transfer),
    from: accounts.crypto(proof.chain, transfer.currency),
    ownerId: payment.owner_id,
    paymentId: payment.id,
    cents,
    settles: Math.min(owed, cents - needed),
  });
  await postAll(tx, topUp, { now: deps.clock.now(), newId: deps.newId });
}

interface Arrival {
  proof: Proof;
  transfer: SeenTransfer;
  payment: payments.PaymentRow;
  cents: number;
  /** What an order takes of it. */
  needed: number;
}

/** Keeps money that is nobody's credit for sure, for the operator to resolve. */
export async function suspend(deps: Deps, tx: Query, proof: Proof, { transfer, verdict }: Judged): Promise<Problem> {
  if (verdict.is === "unasked") throw invalid("txHash", "is older than the payment, or belongs to no payment of yours");
  if (verdict.is === "foreign" || verdict.is === "paid") throw taken();
  const quote = verdict.quote.row;
  const value_cents = centsOf(transfer.amount, quote.rate, quote.currency);
  const deposit = depositOf(deps, proof, transfer, quote, { value_cents, status: "suspense", note: verdict.is });
  await crypto.insertDeposit(tx, deposit);
  if (value_cents > 0)
    await post(
      tx,
      suspenseTransfer({
        eventKey: eventKey(proof, transfer),
        from: accounts.crypto(proof.chain, transfer.currency),
        ownerId: proof.ownerId,
        paymentId: quote.payment_id,
        cents: value_cents,
      }),
      { now: deps.clock.now(), newId: deps.newId },
    );
  await payments.flag(tx, quote.payment_id, `crypto in suspense: ${verdict.is}, ${proof.chain} ${proof.txHash}`);
  return refusal(deposit, quote);
}

export const eventKey = ({ chain, txHash }: Pick<Proof, "chain" | "txHash">, { index }: SeenTransfer) =>
  `crypto:${chain}:${txHash}:${index}`;

const depositOf = (
  deps: Deps,
  proof: Proof,
  transfer: SeenTransfer,
  quote: crypto.QuoteRow,
  outcome: Pick<crypto.DepositRow, "value_cents" | "status" | "note">,
): crypto.DepositRow => ({
  chain: proof.chain,
  tx_hash: proof.txHash,
  tx_index: transfer.index,
  currency: transfer.currency,
  receiver: transfer.to,
  amount_atomic: String(transfer.amount),
  owner_id: proof.ownerId,
  payment_id: quote.payment_id,
  seen_at: deps.clock.now(),
  ...outcome,
});

const kept = "The deposit is not lost: it is held as unmatched, and the operator can assign or refund it.";

const unmatched = () => conflict(`The transaction arrived, but its amount matches no payment. Nothing was credited. ${kept}`);

/** Why a transfer that arrived does not pay what it was named for. */
function refusal(deposit: crypto.DepositRow, quote: crypto.QuoteRow): Problem {
  const sent = BigInt(deposit.amount_atomic);
  const text = (atomic: bigint) => `${coins(atomic, quote.currency)} ${quote.currency}`;
  switch (deposit.note) {
    case "short": {
      const asked = BigInt(quote.amount_atomic);
      const missing = `${text(sent)} arrived of ${text(asked)}: ${text(asked - sent)} is missing.`;
      return new Problem(
        "PAYMENT_REQUIRED",
        `${missing} Nothing was credited. ${kept} Pay the full amount in a new transaction.`,
        {
          details: [{ field: "txHash", message: missing }],
        },
      );
    }
    case "late":
      return conflict(
        `The transaction arrived after the payment had expired. Nothing was credited. ${kept} Request new payment instructions.`,
      );
    case "again":
      return conflict(`This was already paid by another transaction. Nothing was credited. ${kept}`);
    case "unclear":
      return conflict(
        `${text(sent)} is not the requested amount, and it may come from another account. Nothing was credited. ${kept} Pay exactly ${text(BigInt(quote.amount_atomic))}.`,
      );
    default:
      return conflict("The order had ended when it was paid. The amount was added to your balance. Order again to use it.");
  }
}
