import type { Deps } from "../../../app/deps.ts";
import type { Tx } from "../../../app/tx.ts";
import type { Query } from "../../../database/port.ts";
import { type ApiError, conflict, invalid, notFound } from "../../../lib/api-error.ts";
import type { SeenTransaction, SeenTransfer } from "../chains/index.ts";
import { applyDeposit, judgeUnnamed, suspend } from "../deposits.ts";
import { hold } from "../hold.ts";
import { type Matched, matchBooked } from "../matching.ts";
import { ask, notYet, transactionOn } from "../proofs.ts";
import { withTerms } from "../quote-terms.ts";
import { keptOf, release } from "../release.ts";
import { type ChainName, type Currency, isOlder, worthOf } from "../rules.ts";
import * as crypto from "../store.ts";
import type { Evidence, Received } from "../types.ts";
import { proofMessage } from "./message.ts";

/** A deposit whose sender is to be proved, and the quote of the owner's payment that the proof is made for. */
export interface Subject {
  ownerId: string;
  quote: crypto.QuoteRow;
  chain: ChainName;
  txHash: string;
  seen: SeenTransaction;
  /** The known sending addresses of the transaction's transfers to this server. */
  senders: string[];
  /** The current price of each transferred currency, in cents per whole coin. */
  prices: ReadonlyMap<Currency, number>;
  message: string;
}

interface Named {
  ownerId: string;
  paymentId: string;
  chain: ChainName | undefined;
  txHash: string;
}

/**
 * Finds what is to be proved. 404 for a payment that is not the owner's or not by crypto, 402 while the transaction is not final, 422 if
 * it transfers nothing to this server or its sender is unknown, 503 if the node or the price feed is unavailable.
 */
export async function subjectOf(deps: Deps, { ownerId, paymentId, chain: given, txHash: hash }: Named): Promise<Subject> {
  const quote = await deps.store.read((q) => crypto.findByPayment(q, paymentId));
  if (!quote || quote.owner_id !== ownerId) throw notFound();
  const { chain, txHash } = transactionOn(deps, { chain: given ?? quote.chain, txHash: hash });
  const seen = await ask(() => chain.find(txHash));
  if (!seen?.final) throw notYet(chain.name, seen !== undefined);
  if (seen.status === "reverted") throw invalid("txHash", "is a failed transaction that transferred nothing");
  if (seen.transfers.length === 0) throw invalid("txHash", `transfers nothing to this server on ${chain.name}`);
  const senders = [...new Set(seen.transfers.flatMap(({ from }) => from ?? []))];
  if (senders.length === 0)
    throw invalid("txHash", "does not show which address sent the deposit. Ask the operator to credit it");
  const prices = new Map<Currency, number>();
  for (const { currency } of seen.transfers) prices.set(currency, await ask(() => deps.chains.rate(currency)));
  const message = proofMessage({ instance: deps.config.baseUrl, paymentId, chain: chain.name, txHash });
  return { ownerId, quote, chain: chain.name, txHash, seen, senders, prices, message };
}

/**
 * Credits the transfers from the proven address that are not credited to anybody yet. A repeated call by the same owner returns the same
 * result. If a problem is returned, the proof is stored with the deposit for the operator. If one is thrown, nothing is stored.
 */
export async function prove(
  tx: Tx,
  subject: Subject,
  { sender, signature }: { sender: string; signature: string },
): Promise<Received[] | ApiError> {
  const evidence: Evidence = { by: "signature", ownerId: subject.ownerId, signature };
  const outcomes: (Received | ApiError)[] = [];
  for (const matched of matchBooked(await crypto.depositsOf(tx, subject.chain, subject.txHash), subject.seen.transfers))
    if (matched.transfer.from === sender) outcomes.push(await proveOne(tx, subject, matched, evidence));
  const credited = outcomes.filter((one): one is Received => "cents" in one);
  return credited.length > 0 ? credited : (outcomes[0] as ApiError);
}

async function proveOne(tx: Tx, subject: Subject, { transfer, deposit: booked }: Matched, evidence: Evidence) {
  const { chain, txHash, ownerId, quote, seen, prices } = subject;
  const rate = prices.get(transfer.currency)!;
  let deposit = booked;
  if (!deposit) {
    const found = await judgeUnnamed(tx, chain, transfer, seen.at);
    if (found?.verdict.is === "paid") await applyDeposit(tx, subject, { ...found, rate });
    else if (found && !isOwn(found.verdict, ownerId)) await suspend(tx, subject, { ...found, rate });
    else await keep(tx, subject, transfer, rate);
    deposit = (await crypto.depositsOf(tx, chain, txHash)).find(({ tx_index }) => tx_index === transfer.index)!;
  }
  if (deposit.status === "credited" && deposit.owner_id === ownerId) return creditedBefore(tx, deposit);
  if (deposit.status !== "suspense") return decided(deposit.status);
  const kept = await keptOf(tx, deposit);
  if (!kept) return tooSmall();
  if (isOthersByAmount(deposit, ownerId)) {
    const { by: proof, signature } = evidence;
    await crypto.setProof(tx, deposit, { proof, proved_by: ownerId, proved_at: tx.now, signature });
    return othersByAmount();
  }
  return release(tx, kept, { evidence, quote, at: seen.at, rate });
}

const isOwn = (verdict: object, ownerId: string) =>
  "quote" in verdict && (verdict.quote as { ownerId: string }).ownerId === ownerId;

/** Whether the amount of the deposit belongs to a payment of another account that had expired or was paid already. */
const isOthersByAmount = ({ note, owner_id }: crypto.DepositRow, ownerId: string) =>
  (note === "late" || note === "again") && owner_id !== ownerId;

const creditedBefore = async (tx: Query, deposit: crypto.DepositRow): Promise<Received> => ({
  paymentId: deposit.payment_id!,
  cents: deposit.value_cents,
  quote: await crypto.findByPayment(tx, deposit.payment_id!),
});

/** Records a transfer that was not submitted before as held in suspense. It is released right after. */
async function keep(tx: Tx, { chain, txHash, ownerId, quote, seen }: Subject, transfer: SeenTransfer, rate: number) {
  // A transfer older than the payment may have been sent for another reason, so the server must have recorded it as a deposit first.
  if (isOlder(withTerms(quote), seen.at))
    throw invalid(
      "txHash",
      "is older than the payment. Once it is recorded as an unmatched deposit, some hours after it was sent, you can prove it under this payment. Or prove it under a payment that you requested before you sent it",
    );
  const cents = worthOf(transfer.amount, transfer.currency, rate);
  const { payment_id } = quote;
  await hold(tx, { chain, tx_hash: txHash, transfer, cents, rate, note: "unclear", owner_id: ownerId, payment_id });
}

const decided = (status: string) =>
  conflict(
    status === "refunded"
      ? "The operator recorded that this deposit was sent back. Nothing was changed. Contact the operator."
      : "This deposit was already credited to another account. Nothing was changed. If you sent it, contact the operator.",
  );

const othersByAmount = () =>
  conflict(
    "Your signature is valid, but the amount of this deposit belongs to a payment of another account. Nothing was credited. The operator can see your proof and decides: contact the operator.",
  );

const tooSmall = () => conflict("This deposit is worth less than a cent. Nothing was credited.");
