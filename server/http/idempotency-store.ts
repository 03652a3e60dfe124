import type { Query } from "../database/port.ts";
import { sendRow, updateWhere } from "../database/rows.ts";
import type { Tables } from "../database/schema/index.ts";

export type StoredReply = Omit<Tables["idempotency"], "account_id" | "idempotency_key">;

/** The record of a key, even if it has expired. */
export const find = (q: Query, accountId: string, key: string) =>
  q.one<StoredReply>(
    "SELECT fingerprint, status, headers, body, created_at, expires_at FROM idempotency WHERE account_id = ? AND idempotency_key = ?",
    accountId,
    key,
  );

/** Inserts a record. Fails the transaction with a UniqueViolation if the key has one already. */
export const insert = (tx: Query, accountId: string, key: string, reply: StoredReply) =>
  sendRow(tx, "idempotency", { account_id: accountId, idempotency_key: key, ...reply });

/** Replaces the record `seen` by `reply`. False if the record has changed in the meantime. */
export const replace = async (tx: Query, accountId: string, key: string, seen: StoredReply, reply: StoredReply) =>
  (await updateWhere(tx, "idempotency", reply, {
    account_id: accountId,
    idempotency_key: key,
    fingerprint: seen.fingerprint,
    created_at: seen.created_at,
    expires_at: seen.expires_at,
  })) === 1;
