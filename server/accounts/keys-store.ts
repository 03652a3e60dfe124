import type { Page } from "../database/keyset.ts";
import type { Query } from "../database/port.ts";
import { insertRow, listRows, updateRow, updateWhere } from "../database/rows.ts";
import type { New, Tables } from "../database/schema/index.ts";

export type KeyRow = Tables["api_keys"];

export type KeyWithAccount = KeyRow & Pick<Tables["users"], "role" | "email_verified_at" | "suspended_at" | "admin_scopes">;

/** Selects a key with its account; what follows says by what it is found. */
export const withAccount = `SELECT k.id, k.user_id, k.scopes, k.last_used_at, k.expires_at, k.revoked_at, k.read_only, k.toolsets,
    u.role, u.email_verified_at, u.suspended_at, u.admin_scopes FROM api_keys k JOIN users u ON u.id = k.user_id`;

export const findByHash = (q: Query, hash: string) => q.one<KeyWithAccount>(`${withAccount} WHERE k.hash = ?`, hash);

export const findWithAccount = (q: Query, id: string) => q.one<KeyWithAccount>(`${withAccount} WHERE k.id = ?`, id);

/** Whether the key is valid: not revoked, not expired, and its account not suspended. */
export const isLive = async (q: Query, keyId: string, now: number) =>
  (await q.one(
    `SELECT k.id FROM api_keys k JOIN users u ON u.id = k.user_id
      WHERE k.id = ? AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > ?) AND u.suspended_at IS NULL`,
    keyId,
    now,
  )) !== undefined;

export async function touch(tx: Query, used: readonly (readonly [keyId: string, at: number])[]): Promise<void> {
  for (const [keyId, at] of used) await updateRow(tx, "api_keys", keyId, { last_used_at: at });
}

export const insert = (tx: Query, key: New<"api_keys">) => insertRow(tx, "api_keys", key);

export const listForUser = (q: Query, userId: string, page: Page) =>
  listRows(q, "api_keys", page, { user_id: userId, revoked_at: null });

/** Revokes every key of an account but one. */
export async function revokeOthers(tx: Query, userId: string, keptId: string, now: number): Promise<void> {
  await tx.run("UPDATE api_keys SET revoked_at = ? WHERE user_id = ? AND id <> ? AND revoked_at IS NULL", now, userId, keptId);
}

/** Revokes every key of an account. */
export const revokeAll = (tx: Query, userId: string, now: number) =>
  updateWhere(tx, "api_keys", { revoked_at: now }, { user_id: userId, revoked_at: null });

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

/**
 * Counts a review of an API key in a day (the first millisecond of a UTC day). False, without counting it, where it has made `most`. A clock
 * that is set back begins no new day.
 */
export async function countReview(tx: Query, keyId: string, day: number, most: number): Promise<boolean> {
  const counted = await tx.run(
    `UPDATE api_keys SET reviews = CASE WHEN review_day < ? THEN 1 ELSE reviews + 1 END,
       review_day = CASE WHEN review_day < ? THEN ? ELSE review_day END
      WHERE id = ? AND ((review_day < ? AND ? > 0) OR (review_day >= ? AND reviews < ?))`,
    ...[day, day, day, keyId, day, most, day, most],
  );
  return counted === 1;
}
