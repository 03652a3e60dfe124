import type { DepositStatus } from "../../../src/contract/states/index.ts";
import type { Query } from "../../database/port.ts";
import { insertRow } from "../../database/rows.ts";
import type { ChainName, Currency } from "./rules.ts";

export interface QuoteRow {
  id: string;
  payment_id: string;
  owner_id: string;
  /** The order it pays; null for a top-up. */
  playtest_id: string | null;
  /** The idempotency key of the order it came with. */
  request_key: string | null;
  chain: ChainName;
  currency: Currency;
  receiver: string;
  /** Contract or mint; the currency's code for a chain's own coin. */
  asset: string;
  amount_atomic: string;
  amount_cents: number;
  /** Cents per whole coin, locked. */
  rate: number;
  paid: number;
  /** While 1 nobody else gets this amount. */
  reserved: number;
  created_at: number;
  expires_at: number;
}

/** `unmatched`: nobody asked for its amount, and nobody named it while it could have been theirs. */
export type DepositNote = "short" | "late" | "again" | "unclear" | "order_over" | "unmatched";

export interface DepositRow {
  chain: ChainName;
  tx_hash: string;
  tx_index: number;
  currency: Currency;
  receiver: string;
  amount_atomic: string;
  /** Both null where it is not known whose it is. */
  owner_id: string | null;
  payment_id: string | null;
  value_cents: number;
  status: DepositStatus;
  note: DepositNote | null;
  seen_at: number;
}

/** What a quote pays to whom. */
export type Till = Pick<QuoteRow, "chain" | "currency" | "receiver">;

/** False when another quote has this amount reserved. */
export async function insertQuote(tx: Query, quote: QuoteRow): Promise<boolean> {
  const taken = await tx.one(
    "SELECT id FROM crypto_quotes WHERE chain = ? AND currency = ? AND receiver = ? AND amount_atomic = ? AND reserved = 1",
    quote.chain,
    quote.currency,
    quote.receiver,
    quote.amount_atomic,
  );
  if (taken) return false;
  await insertRow(tx, "crypto_quotes", quote);
  return true;
}

export const findByPayment = (q: Query, paymentId: string) =>
  q.one<QuoteRow>("SELECT * FROM crypto_quotes WHERE payment_id = ?", paymentId);

/** The newest quote that came with an order under this idempotency key. */
export const findByKey = (q: Query, ownerId: string, key: string) =>
  q.one<QuoteRow>(
    "SELECT * FROM crypto_quotes WHERE owner_id = ? AND request_key = ? ORDER BY created_at DESC, id DESC LIMIT 1",
    ownerId,
    key,
  );

/** Every quote over this very amount, newest first. */
export const exactly = (q: Query, { chain, currency, receiver }: Till, amount: string) =>
  q.all<QuoteRow>(
    `SELECT * FROM crypto_quotes WHERE chain = ? AND currency = ? AND receiver = ? AND amount_atomic = ?
      ORDER BY created_at DESC, id DESC LIMIT 100`,
    chain,
    currency,
    receiver,
    amount,
  );

/** The owner's unpaid quotes, newest first. */
export const unpaidOf = (q: Query, ownerId: string, limit = 100) =>
  q.all<QuoteRow>(
    "SELECT * FROM crypto_quotes WHERE owner_id = ? AND paid = 0 ORDER BY created_at DESC, id DESC LIMIT CAST(? AS INTEGER)",
    ownerId,
    limit,
  );

export const countOpen = async (q: Query, ownerId: string, now: number) =>
  (await q.one<{ count: number }>(
    "SELECT COUNT(*) AS count FROM crypto_quotes WHERE owner_id = ? AND paid = 0 AND expires_at > ?",
    ownerId,
    now,
  ))!.count;

/** Whether anybody else has an unpaid quote that a transfer at `at` (ms) could be meant for. */
export const hasRivals = async (q: Query, { chain, currency, receiver }: Till, ownerId: string, at: number) =>
  (await q.one(
    `SELECT id FROM crypto_quotes WHERE chain = ? AND currency = ? AND receiver = ? AND reserved = 1 AND paid = 0 AND owner_id <> ?
      AND created_at <= ? LIMIT 1`,
    chain,
    currency,
    receiver,
    ownerId,
    at,
  )) !== undefined;

/** Compare-and-set: true for the one deposit that pays it. */
export const setPaid = async (tx: Query, id: string) =>
  (await tx.run("UPDATE crypto_quotes SET paid = 1 WHERE id = ? AND paid = 0", id)) === 1;

export const release = (tx: Query, id: string) => tx.run("UPDATE crypto_quotes SET reserved = 0 WHERE id = ?", id);

export const insertDeposit = (tx: Query, deposit: DepositRow) => insertRow(tx, "crypto_deposits", deposit);

export const depositsOf = (q: Query, chain: ChainName, txHash: string) =>
  q.all<DepositRow>("SELECT * FROM crypto_deposits WHERE chain = ? AND tx_hash = ? ORDER BY tx_index", chain, txHash);

/** A transaction an owner named that was not final yet; false when it is known, or the owner has `most` of them. */
export async function noteProof(
  tx: Query,
  proof: { owner_id: string; chain: ChainName; tx_hash: string; created_at: number },
  most: number,
): Promise<boolean> {
  const open = await tx.one<{ count: number }>("SELECT COUNT(*) AS count FROM crypto_proofs WHERE owner_id = ?", proof.owner_id);
  if (open!.count >= most) return false;
  const { owner_id, chain, tx_hash, created_at } = proof;
  const sql = `INSERT INTO crypto_proofs (owner_id, chain, tx_hash, created_at) VALUES (?, ?, ?, ?)
    ON CONFLICT (owner_id, chain, tx_hash) DO NOTHING`;
  return (await tx.run(sql, owner_id, chain, tx_hash, created_at)) === 1;
}

export const forgetProof = (tx: Query, ownerId: string, chain: ChainName, txHash: string) =>
  tx.run("DELETE FROM crypto_proofs WHERE owner_id = ? AND chain = ? AND tx_hash = ?", ownerId, chain, txHash);

/** Unpaid quotes on a chain whose amounts are reserved. */
export const waitingOn = async (q: Query, chain: ChainName) =>
  (await q.one<{ count: number; native_since: number | null }>(
    `SELECT COUNT(*) AS count, MIN(CASE WHEN currency <> 'USDC' THEN created_at END) AS native_since
      FROM crypto_quotes WHERE chain = ? AND reserved = 1 AND paid = 0`,
    chain,
  ))!;

/** How far a chain was scanned, in the chain's own terms. */
export const scannedTo = async (q: Query, chain: ChainName) =>
  (await q.one<{ position: string }>("SELECT position FROM crypto_scans WHERE chain = ?", chain))?.position ?? null;

export const setScanned = (tx: Query, chain: ChainName, position: string, now: number) =>
  tx.run(
    `INSERT INTO crypto_scans (chain, position, scanned_at) VALUES (?, ?, ?)
      ON CONFLICT (chain) DO UPDATE SET position = excluded.position, scanned_at = excluded.scanned_at`,
    chain,
    position,
    now,
  );
