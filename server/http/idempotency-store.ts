import type { Query } from "../database/port.ts";

export interface StoredReply {
  fingerprint: string;
  status: number;
  headers: string;
  body: Uint8Array;
  expires_at: number;
}

export const find = (q: Query, accountId: string, key: string, now: number) =>
  q.one<StoredReply>(
    "SELECT fingerprint, status, headers, body, expires_at FROM idempotency WHERE account_id = ? AND idempotency_key = ? AND expires_at > ?",
    accountId,
    key,
    now,
  );

/** Replaces an expired record, or a remembered 402 that this request pays. */
export const save = (tx: Query, accountId: string, key: string, reply: StoredReply, now: number) =>
  tx.run(
    `INSERT INTO idempotency (account_id, idempotency_key, fingerprint, status, headers, body, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (account_id, idempotency_key) DO UPDATE SET fingerprint = excluded.fingerprint, status = excluded.status, headers = excluded.headers,
       body = excluded.body, created_at = excluded.created_at, expires_at = excluded.expires_at`,
    accountId,
    key,
    reply.fingerprint,
    reply.status,
    reply.headers,
    reply.body,
    now,
    reply.expires_at,
  );
