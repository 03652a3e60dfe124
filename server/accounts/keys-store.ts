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
  /** The key it was created with. It expires no later than that key and is revoked with it. Null for a key created with a password. */
  parent_id: string | null;
  /** The key that it replaced, if nobody proved then that they are the owner. It is revoked with that key, whenever that is. */
  rotated_from: string | null;
  /** The key that it replaced, in any way: it inherits the budgets of that key, and of those above it. */
  replaces: string | null;
  /** 1 if it can change nothing. */
  read_only: number;
  created_at: number;
  last_used_at: number | null;
  expires_at: number | null;
  revoked_at: number | null;
}

export interface KeyWithAccount extends KeyRow {
  role: Role;
  email_verified_at: number | null;
  suspended_at: number | null;
  admin_scopes: string | null;
}

export const findByHash = (q: Query, hash: string) =>
  q.one<KeyWithAccount>(
    `SELECT k.id, k.user_id, k.scopes, k.last_used_at, k.expires_at, k.revoked_at, k.read_only, u.role, u.email_verified_at, u.suspended_at, u.admin_scopes
       FROM api_keys k JOIN users u ON u.id = k.user_id WHERE k.hash = ?`,
    hash,
  );

/** Whether the key is valid: not revoked, not expired, and its account not suspended. */
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

/** Revokes every key of an account but one. */
export async function revokeOthers(tx: Query, userId: string, keptId: string, now: number): Promise<void> {
  await tx.run("UPDATE api_keys SET revoked_at = ? WHERE user_id = ? AND id <> ? AND revoked_at IS NULL", now, userId, keptId);
}

/** Revokes every key of an account. */
export const revokeAll = (tx: Query, userId: string, now: number) =>
  tx.run("UPDATE api_keys SET revoked_at = ? WHERE user_id = ? AND revoked_at IS NULL", now, userId);

/** The number of valid keys of an account. */
export const countLive = async (q: Query, userId: string, now: number) =>
  (await q.one<{ n: number }>(
    "SELECT COUNT(*) AS n FROM api_keys WHERE user_id = ? AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?)",
    userId,
    now,
  ))!.n;

/** The account's key with this id. Undefined when there is none, or it has expired or was revoked. */
export const findLive = (q: Query, id: string, userId: string, now: number) =>
  q.one<KeyRow>(
    "SELECT * FROM api_keys WHERE id = ? AND user_id = ? AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?)",
    id,
    userId,
    now,
  );

/** A key of an account and its line: the keys created with it or in its place, directly or indirectly. */
const line = `WITH RECURSIVE line (id) AS (
  SELECT id FROM api_keys WHERE id = ? AND user_id = ?
  UNION SELECT k.id FROM api_keys k JOIN line l ON k.parent_id = l.id OR k.rotated_from = l.id)`;

/** A key of an account and all its descendants: the keys created with it, directly or indirectly. */
const family = `WITH RECURSIVE family (id) AS (
  SELECT id FROM api_keys WHERE id = ? AND user_id = ?
  UNION SELECT k.id FROM api_keys k JOIN family f ON k.parent_id = f.id)`;

/** Whether a key was created with another one, directly or indirectly. */
export const isDescendant = async (q: Query, key: KeyRow, ancestorId: string) =>
  key.id !== ancestorId &&
  (await q.one(`${family} SELECT id FROM family WHERE id = ?`, ancestorId, key.user_id, key.id)) !== undefined;

/** Revokes a key and all of its line, also when the key itself has ended before. Returns the ids of the keys that were revoked now. */
export const revoke = async (tx: Query, id: string, userId: string, now: number): Promise<string[]> =>
  (
    await tx.all<{ id: string }>(
      `${line} UPDATE api_keys SET revoked_at = ? WHERE id IN (SELECT id FROM line) AND revoked_at IS NULL RETURNING id`,
      id,
      userId,
      now,
    )
  ).map((row) => row.id);

/** Revokes a key that is replaced, and its descendants, but not what is in its place. */
export const revokeReplaced = (tx: Query, id: string, userId: string, now: number) =>
  tx.run(
    `${family} UPDATE api_keys SET revoked_at = ? WHERE id IN (SELECT id FROM family) AND revoked_at IS NULL`,
    id,
    userId,
    now,
  );

/** Makes a key and all its descendants expire at `end` (ms) at the latest. */
export const endBy = (tx: Query, id: string, userId: string, end: number) =>
  tx.run(
    `${family} UPDATE api_keys SET expires_at = ? WHERE id IN (SELECT id FROM family) AND (expires_at IS NULL OR expires_at > ?)`,
    id,
    userId,
    end,
    end,
  );
