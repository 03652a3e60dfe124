import type { Query } from "../../database/port.ts";
import {
  addRow,
  countRows,
  deleteWhere,
  findRow,
  findRows,
  insertRow,
  putRow,
  updateRow,
  updateWhere,
} from "../../database/rows.ts";
import type { New, Tables } from "../../database/schema/index.ts";
import type { ChainName } from "./rules.ts";

export type QuoteRow = Tables["crypto_quotes"];

/** `over`: too much to be credited without a proof. `unmatched`: its amount matches no quote, and nobody submitted it in time. */
export type DepositNote = NonNullable<DepositRow["note"]>;

export type DepositRow = Tables["crypto_deposits"];

export type DepositKey = Pick<DepositRow, "chain" | "tx_hash" | "tx_index">;

/** The chain, currency and receiver of a quote. */
export type Destination = Pick<QuoteRow, "chain" | "currency" | "receiver">;

/** Inserts a quote. False when another quote has reserved this amount, which a unique index decides. */
export const insertQuote = (tx: Query, quote: QuoteRow): Promise<boolean> => addRow(tx, "crypto_quotes", quote);

export const find = (q: Query, id: string) => findRow(q, "crypto_quotes", { id });
export const findByPayment = (q: Query, paymentId: string) => findRow(q, "crypto_quotes", { payment_id: paymentId });

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
  (await updateWhere(tx, "crypto_quotes", { paid: 1 }, { id, paid: 0 })) === 1;

export const release = (tx: Query, id: string) => updateRow(tx, "crypto_quotes", id, { reserved: 0 });

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
  updateWhere(tx, "crypto_deposits", { owner_id: ownerId, payment_id: paymentId }, { chain, tx_hash, tx_index });

export const insertDeposit = (tx: Query, deposit: New<"crypto_deposits">) => insertRow(tx, "crypto_deposits", deposit);

export const depositsOf = (q: Query, chain: ChainName, txHash: string) =>
  findRows(q, "crypto_deposits", { chain, tx_hash: txHash }, "tx_index");

/** Stores a submitted transaction that is not final yet. False when it is stored already, or the owner has `most` of them. */
export async function addPendingProof(tx: Query, proof: New<"crypto_proofs">, most: number): Promise<boolean> {
  if ((await countRows(tx, "crypto_proofs", { owner_id: proof.owner_id })) >= most) return false;
  return addRow(tx, "crypto_proofs", proof);
}

export const removePendingProof = (tx: Query, ownerId: string, chain: ChainName, txHash: string) =>
  deleteWhere(tx, "crypto_proofs", { owner_id: ownerId, chain, tx_hash: txHash });

/** Unpaid quotes on a chain whose amounts are reserved. */
export const waitingOn = async (q: Query, chain: ChainName) =>
  (await q.one<{ count: number; native_since: number | null }>(
    `SELECT COUNT(*) AS count, MIN(CASE WHEN currency <> 'USDC' THEN created_at END) AS native_since
      FROM crypto_quotes WHERE chain = ? AND reserved = 1 AND paid = 0`,
    chain,
  ))!;

/**
 * The position of the last scan of a chain, such as a block number, and when (ms) a scan last reached the end of the chain. Undefined before
 * the first scan.
 */
export const lastScan = (q: Query, chain: ChainName) => findRow(q, "crypto_scans", { chain });

/** `behind`: the scan did not reach the end of the chain. */
export async function setScanned(
  tx: Query,
  chain: ChainName,
  { position, behind }: { position: string; behind: boolean },
  now: number,
): Promise<void> {
  const reachedAt = behind ? ((await lastScan(tx, chain))?.scanned_at ?? 0) : now;
  await putRow(tx, "crypto_scans", { chain, position, scanned_at: reachedAt }, "chain");
}
