import * as users from "../../accounts/users-store.ts";
import type { Tx } from "../../app/tx.ts";
import type { Query } from "../../database/port.ts";
import { accounts, resolveTransfers } from "../../ledger/rules.ts";
import { balance, postAll } from "../../ledger/store.ts";
import { announcePaid } from "../payments.ts";
import * as payments from "../store.ts";
import * as suspense from "../suspense-store.ts";
import { completeQuote } from "./complete-quote.ts";
import { withTerms } from "./quote-terms.ts";
import { covers, meetsDeclaration, rivalsAt, worthOf } from "./rules.ts";
import * as crypto from "./store.ts";
import type { Evidence, Judged, Received } from "./types.ts";

export type SuspenseDeposit = suspense.SuspenseRow & { status: "suspense" };

interface Release {
  evidence: Evidence;
  /** The owner's quote that the deposit may have been meant for. */
  quote: crypto.QuoteRow | undefined;
  /** The time of the transfer, in ms. */
  at: number;
  /** The current price, in cents per whole coin. */
  rate: number;
}

/**
 * Credits a deposit in suspense to the owner who controls the sending address. If it was sent in time, the quote's amount is valued at
 * the quote's rate. The rest is valued at the price when it was recorded or the current price, whichever is lower, so that delaying the
 * proof brings no gain. A deposit that covers the quote pays it; what is returned has no quote if its order could not begin.
 */
export async function release(tx: Tx, kept: SuspenseDeposit, { evidence, quote, at, rate }: Release): Promise<Received> {
  const now = tx.now;
  const amount = BigInt(kept.amount_atomic);
  const locked = quote !== undefined && isOf(quote, kept) && covers(withTerms(quote), at) ? withTerms(quote) : undefined;
  const price = Math.min(kept.rate ?? rate, rate);
  const worth = worthOf(amount, kept.currency, price, locked && { atomic: locked.atomic, rate: locked.row.rate });
  const pays = locked !== undefined && !locked.paid && amount >= locked.atomic;
  const cents = pays ? Math.max(locked.row.amount_cents, worth) : worth;
  const note = `proved by ${evidence.by === "signature" ? "a signature of" : "declaring"} ${kept.sender}`;
  const { by: proof, ownerId, signature } = evidence;
  const proved = {
    proof,
    proved_by: ownerId,
    proved_at: now,
    signature,
    resolved_at: now,
    resolved_by: ownerId,
    resolution: note,
  };
  if (!pays) {
    const payment = await creditKept(tx, kept, { ...proved, ownerId, cents, description: "Playtest credit by crypto" });
    await crypto.setOwner(tx, kept, ownerId, payment.id);
    return { paymentId: payment.id, cents, quote: undefined };
  }
  await suspense.transition(tx, kept, "credit", {
    ...proved,
    value_cents: cents,
    owner_id: ownerId,
    payment_id: quote!.payment_id,
  });
  const obstacle = await completeQuote(tx, quote!, {
    txHash: kept.tx_hash,
    cents,
    credit: (payment, settles) => postCredit(tx, kept, { ownerId, paymentId: payment.id, cents, settles, note }),
  });
  return { paymentId: quote!.payment_id, cents, quote: obstacle ? undefined : quote };
}

const isOf = (quote: crypto.QuoteRow, kept: SuspenseDeposit) =>
  quote.chain === kept.chain && quote.currency === kept.currency && quote.receiver === kept.receiver;

type Decision = Pick<suspense.SuspenseRow, "resolved_by" | "resolution"> &
  Partial<Pick<suspense.SuspenseRow, "proof" | "proved_by" | "proved_at" | "signature">>;

/** Credits a deposit in suspense to an owner, as a new payment. */
export async function creditKept(
  tx: Tx,
  kept: SuspenseDeposit,
  { ownerId, cents, description, ...decision }: Decision & { ownerId: string; cents: number; description: string },
): Promise<payments.PaymentRow> {
  const now = tx.now;
  await suspense.transition(tx, kept, "credit", { ...decision, value_cents: cents, resolved_at: now });
  const payment = payments.insert(tx, {
    id: tx.newId(),
    owner_id: ownerId,
    amount_cents: cents,
    status: "completed",
    provider: "x402",
    external_id: kept.tx_hash,
    purpose: "credit",
    description,
    completed_at: now,
    created_at: now,
    updated_at: now,
  });
  const settles = Math.min(await balance(tx, accounts.receivable(ownerId)), cents);
  await postCredit(tx, kept, { ownerId, paymentId: payment.id, cents, settles, note: decision.resolution ?? "" });
  await announcePaid(tx, payment);
  return payment;
}

async function postCredit(
  tx: Tx,
  kept: SuspenseDeposit,
  credit: { ownerId: string; paymentId: string; cents: number; settles: number; note: string },
): Promise<void> {
  const from = accounts.crypto(kept.chain, kept.currency);
  const transfers = resolveTransfers({ ...credit, id: kept.id, suspense: suspenseAccountOf(kept), from, kept: kept.kept_cents });
  await postAll(tx, transfers);
}

/** The suspense account of a deposit in the ledger: that of its payment, or its own if it has none. */
export const suspenseAccountOf = ({ payment_id, chain, tx_hash, tx_index }: crypto.DepositRow) =>
  accounts.suspense(payment_id ?? `crypto:${chain}:${tx_hash}:${tx_index}`);

/** The suspense entry of a deposit. Undefined if it is not in suspense, or worth less than a cent. */
export async function keptOf(tx: Query, deposit: crypto.DepositKey): Promise<SuspenseDeposit | undefined> {
  const entry = await suspense.findByDeposit(tx, deposit);
  return entry && suspense.isIn(entry, "suspense") ? entry : undefined;
}

/**
 * Whether the declared sender of the quote is enough proof to credit a transfer that does not match the quote: no other account declared
 * or used that address, and none has a quote that the transfer could be meant for. Not for an account that was deleted.
 */
export async function isDeclared(tx: Query, { transfer, at, verdict }: Judged): Promise<boolean> {
  if (!("quote" in verdict) || transfer.from === null) return false;
  const { quote } = verdict;
  if (!meetsDeclaration({ amount: transfer.amount, at, from: transfer.from }, quote)) return false;
  if ((await users.standing(tx, quote.ownerId))?.deleted_at !== null) return false;
  if (await crypto.isAddressOfOthers(tx, transfer.from, quote.ownerId)) return false;
  return !(await crypto.hasRivals(tx, quote.row, { ownerId: quote.ownerId, sender: transfer.from, ...rivalsAt(at) }));
}
