import type { Role } from "../../src/contract/endpoint.ts";
import { keyset, type Page } from "../database/keyset.ts";
import type { Query } from "../database/port.ts";
import { insertRow } from "../database/rows.ts";

export interface KeyRow {
  id: string;
  user_id: string;
  name: string;
  prefix: string;
  hash: string;
  scopes: string;
  created_at: number;
  last_used_at: number | null;
  expires_at: number | null;
  revoked_at: number | null;
}

export interface KeyWithAccount extends KeyRow {
  role: Role;
  email_verified_at: number | null;
  suspended_at: number | null;
}

export const findByHash = (q: Query, hash: string) =>
  q.one<KeyWithAccount>(
    `SELECT k.id, k.user_id, k.scopes, k.last_used_at, k.expires_at, k.revoked_at, u.role, u.email_verified_at, u.suspended_at
       FROM api_keys k JOIN users u ON u.id = k.user_id WHERE k.hash = ?`,
    hash,
  );

/** Whether the key still opens anything: not revoked, not expired, its account not suspended. */
export const isLive = async (q: Query, keyId: string, now: number) =>
  (await q.one(
    `SELECT k.id FROM api_keys k JOIN users u ON u.id = k.user_id
      WHERE k.id = ? AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > ?) AND u.suspended_at IS NULL`,
    keyId,
    now,
  )) !== undefined;

export async function touch(tx: Query, used: readonly (readonly [keyId: string, at: number])[]): Promise<void> {
  for (const [keyId, at] of used) await tx.run("UPDATE api_keys SET last_used_at = ? WHERE id = ?", at, keyId);
}

export const insert = (tx: Query, key: KeyRow) => insertRow(tx, "api_keys", key);

export function listForUser(q: Query, userId: string, page: Page) {
  const { sql, values } = keyset(page, "k");
  return q.all<KeyRow>(`SELECT k.* FROM api_keys k WHERE k.user_id = ? AND k.revoked_at IS NULL ${sql}`, userId, ...values);
}

/** Zero rows: no such key of this account, or it is revoked already. */
export const revoke = (tx: Query, id: string, userId: string, now: number) =>
  tx.run("UPDATE api_keys SET revoked_at = ? WHERE id = ? AND user_id = ? AND revoked_at IS NULL", now, id, userId);
