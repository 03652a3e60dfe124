import type { DepositStatus } from "../../../src/contract/states/index.ts";
import type { Query } from "../../database/port.ts";
import { insertRow } from "../../database/rows.ts";
import type { ChainName, Currency } from "./rules.ts";

export interface QuoteRow {
  id: string;
  payment_id: string;
  owner_id: string;
  /** The order that the quote pays for. Null for a credit purchase. */
  playtest_id: string | null;
  /** The idempotency key of the request that created the order, or asked for the credit. */
  request_key: string | null;
  chain: ChainName;
  currency: Currency;
  receiver: string;
  /** The address of the token's contract or mint, or the currency code for a chain's native coin. */
  asset: string;
  amount_atomic: string;
  amount_cents: number;
  /** The locked rate, in cents per whole coin. */
  rate: number;
  paid: number;
  /** While 1, no other quote gets this amount. */
  reserved: number;
  created_at: number;
  expires_at: number;
  /** The sending address that the owner declared, in the form of the chain's `addressOf`. Null if none was declared. */
  payer: string | null;
}

/** `over`: too much to be credited without a proof. `unmatched`: its amount matches no quote, and nobody submitted it in time. */
export type DepositNote = "short" | "over" | "late" | "again" | "unclear" | "order_over" | "frozen" | "unmatched";

export interface DepositRow {
  chain: ChainName;
  tx_hash: string;
  tx_index: number;
  currency: Currency;
  receiver: string;
  amount_atomic: string;
  /** The owner and payment that it belongs to. Both null when unknown. */
  owner_id: string | null;
  payment_id: string | null;
  value_cents: number;
  status: DepositStatus;
  note: DepositNote | null;
  seen_at: number;
  /** The sending address. Null when the transaction does not show it. */
  sender: string | null;
  /** The price when it was recorded, in cents per whole coin, for the part without a locked rate. */
  rate: number | null;
  /** How account `proved_by` proved that it controls the sending address. */
  proof: "declared" | "signature" | null;
  proved_by: string | null;
  proved_at: number | null;
  signature: string | null;
}

/** The columns of a deposit without a proof. */
export const unproved = { proof: null, proved_by: null, proved_at: null, signature: null } as const;

export type DepositKey = Pick<DepositRow, "chain" | "tx_hash" | "tx_index">;

/** The chain, currency and receiver of a quote. */
export type Destination = Pick<QuoteRow, "chain" | "currency" | "receiver">;

/** Inserts a quote. False when another quote has reserved this amount. */
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

/** The newest quote that came with a request under this idempotency key. */
export const findByKey = (q: Query, ownerId: string, key: string) =>
  q.one<QuoteRow>(
    "SELECT * FROM crypto_quotes WHERE owner_id = ? AND request_key = ? ORDER BY created_at DESC, id DESC LIMIT 1",
    ownerId,
    key,
  );

/** All quotes of exactly this amount, newest first. */
export const exactly = (q: Query, { chain, currency, receiver }: Destination, amount: string) =>
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

/**
 * Whether another account has an unpaid quote that a transfer could be meant for: created until `to` (ms), and not expired before `from`.
 * Quotes with a declared sender other than `sender` do not count.
 */
export const hasRivals = async (
  q: Query,
  { chain, currency, receiver }: Destination,
  { ownerId, sender, from, to }: { ownerId: string; sender: string | null; from: number; to: number },
) =>
  (await q.one(
    `SELECT id FROM crypto_quotes WHERE chain = ? AND currency = ? AND receiver = ? AND paid = 0 AND owner_id <> ?
      AND created_at <= ? AND expires_at >= ? AND (payer IS NULL OR payer = COALESCE(?, payer)) LIMIT 1`,
    chain,
    currency,
    receiver,
    ownerId,
    to,
    from,
    sender,
  )) !== undefined;

/** Whether another account ever declared or proved an address, or was credited a deposit from it. */
export const isAddressOfOthers = async (q: Query, sender: string, ownerId: string) =>
  (await q.one(
    `SELECT 1 AS found FROM crypto_quotes WHERE payer = ? AND owner_id <> ?
      UNION ALL SELECT 1 FROM crypto_deposits WHERE sender = ? AND (proved_by <> ? OR (status = 'credited' AND owner_id <> ?)) LIMIT 1`,
    sender,
    ownerId,
    sender,
    ownerId,
    ownerId,
  )) !== undefined;

/** Up to two owners of unpaid quotes with `sender` as the declared sender, created until `at` (ms) and not expired before `from` (ms). */
export const declarersOf = async (
  q: Query,
  { chain, currency, receiver }: Destination,
  { sender, from, at }: { sender: string; from: number; at: number },
) => {
  const rows = await q.all<{ owner_id: string }>(
    `SELECT DISTINCT owner_id FROM crypto_quotes WHERE payer = ? AND paid = 0 AND chain = ? AND currency = ? AND receiver = ?
      AND created_at <= ? AND expires_at >= ? LIMIT 2`,
    sender,
    chain,
    currency,
    receiver,
    at,
    from,
  );
  return rows.map(({ owner_id }) => owner_id);
};

/** Marks a quote as paid by compare-and-set. True for only one caller. */
export const setPaid = async (tx: Query, id: string) =>
  (await tx.run("UPDATE crypto_quotes SET paid = 1 WHERE id = ? AND paid = 0", id)) === 1;

export const release = (tx: Query, id: string) => tx.run("UPDATE crypto_quotes SET reserved = 0 WHERE id = ?", id);

/** Stores who proved to control the sending address of a deposit, for the operator to decide when it cannot be credited automatically. */
export const setProof = (
  tx: Query,
  deposit: DepositKey,
  proof: Pick<DepositRow, "proof" | "proved_by" | "proved_at" | "signature">,
) =>
  tx.run(
    `UPDATE crypto_deposits SET proof = ?, proved_by = ?, proved_at = ?, signature = ? WHERE chain = ? AND tx_hash = ? AND tx_index = ?
      AND proof IS NULL`,
    proof.proof,
    proof.proved_by,
    proof.proved_at,
    proof.signature,
    deposit.chain,
    deposit.tx_hash,
    deposit.tx_index,
  );

/** Stores the owner of a deposit and the payment that was created for it. */
export const setOwner = (tx: Query, { chain, tx_hash, tx_index }: DepositKey, ownerId: string, paymentId: string) =>
  tx.run(
    "UPDATE crypto_deposits SET owner_id = ?, payment_id = ? WHERE chain = ? AND tx_hash = ? AND tx_index = ?",
    ownerId,
    paymentId,
    chain,
    tx_hash,
    tx_index,
  );

export const insertDeposit = (tx: Query, deposit: DepositRow) => insertRow(tx, "crypto_deposits", deposit);

export const depositsOf = (q: Query, chain: ChainName, txHash: string) =>
  q.all<DepositRow>("SELECT * FROM crypto_deposits WHERE chain = ? AND tx_hash = ? ORDER BY tx_index", chain, txHash);

/** Stores a submitted transaction that is not final yet. False when it is stored already, or the owner has `most` of them. */
export async function addPendingProof(
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

export const removePendingProof = (tx: Query, ownerId: string, chain: ChainName, txHash: string) =>
  tx.run("DELETE FROM crypto_proofs WHERE owner_id = ? AND chain = ? AND tx_hash = ?", ownerId, chain, txHash);

/** Unpaid quotes on a chain whose amounts are reserved. */
export const waitingOn = async (q: Query, chain: ChainName) =>
  (await q.one<{ count: number; native_since: number | null }>(
    `SELECT COUNT(*) AS count, MIN(CASE WHEN currency <> 'USDC' THEN created_at END) AS native_since
      FROM crypto_quotes WHERE chain = ? AND reserved = 1 AND paid = 0`,
    chain,
  ))!;

/** The position of the last scan of a chain, such as a block number. Null before the first scan. */
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
