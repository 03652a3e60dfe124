import { withAsciiDomain } from "../../src/contract/text/email-address.ts";
import type { Query } from "../database/port.ts";
import { deleteWhere, findRow, findRows, insertRow, updateRow } from "../database/rows.ts";
import type { New, Tables } from "../database/schema/index.ts";

export type UserRow = Tables["users"];

export const emailKey = (email: string) => withAsciiDomain(email.trim()).toLowerCase();

export const find = (q: Query, id: string) => findRow(q, "users", { id });
export type Standing = Pick<UserRow, "suspended_at" | "deleted_at">;

/** Every change reads it: not the whole row. */
export const standing = (q: Query, id: string) => q.one<Standing>("SELECT suspended_at, deleted_at FROM users WHERE id = ?", id);
/** Makes writes wait that decide by what this account holds, and its suspension and deletion. */
export const lock = (tx: Query, id: string) => tx.lock("users", "id = ?", id);
/** Locks the account, and reads it as the writes before left it. */
export const locked = (tx: Query, id: string) => tx.locked<UserRow>("users", id);
export const findByEmail = (q: Query, email: string) => findRow(q, "users", { email_key: emailKey(email) });
export const hasRole = async (q: Query, role: UserRow["role"]) =>
  (await q.one("SELECT id FROM users WHERE role = ? LIMIT 1", role)) !== undefined;
/** The admins whose accounts are not suspended. */
export const listAdmins = (q: Query) => findRows(q, "users", { role: "admin", suspended_at: null }, "created_at", "id");
export const insert = (tx: Query, user: New<"users">) => insertRow(tx, "users", user);
export const update = (tx: Query, id: string, changes: Partial<UserRow>) => updateRow(tx, "users", id, changes);

/**
 * Deletes the rows that every account may have and nobody else needs, in the order of their foreign keys. The account's id is each `?`. Rows
 * that the ledger needs are never deleted.
 */
export const ownRowDeletions = [
  "DELETE FROM budget_entries WHERE budget_id IN (SELECT id FROM budgets WHERE owner_id = ?)",
  "DELETE FROM budget_uses WHERE budget_id IN (SELECT id FROM budgets WHERE owner_id = ?)",
  "DELETE FROM budgets WHERE owner_id = ?",
  "DELETE FROM connection_tokens WHERE key_id IN (SELECT id FROM api_keys WHERE user_id = ?)",
  "DELETE FROM connection_requests WHERE user_id = ?",
  "DELETE FROM api_keys WHERE user_id = ?",
  "DELETE FROM second_factors WHERE user_id = ?",
  "DELETE FROM recovery_codes WHERE user_id = ?",
  "DELETE FROM passkeys WHERE user_id = ?",
  "DELETE FROM passkey_challenges WHERE user_id = ?",
  "DELETE FROM confirmations WHERE user_id = ?",
  "DELETE FROM sessions WHERE user_id = ?",
  "DELETE FROM one_time_tokens WHERE user_id = ?",
  "DELETE FROM notifications WHERE user_id = ?",
  "DELETE FROM notification_settings WHERE user_id = ?",
  "DELETE FROM known_offers WHERE user_id = ?",
  "DELETE FROM tester_group_members WHERE user_id = ?",
  "DELETE FROM friend_requests WHERE user_id = ?",
  "DELETE FROM friend_requests WHERE other_id = ?",
  "DELETE FROM friends WHERE user_id = ?",
  "DELETE FROM friends WHERE other_id = ?",
  "DELETE FROM playtester_profiles WHERE user_id = ?",
  "DELETE FROM playtester_traits WHERE user_id = ?",
  "DELETE FROM idempotency WHERE account_id = ?",
];

/** Condition for an account that was only registered: its address is not verified, and it has no ledger transfers. */
const untouched = `email_verified_at IS NULL AND suspended_at IS NULL
  AND NOT EXISTS (SELECT 1 FROM ledger_transfers t WHERE t.owner_id = users.id)`;

/** Whether this is an unverified account that can be removed. */
export const isRemovable = async (q: Query, id: string): Promise<boolean> =>
  (await q.one(`SELECT id FROM users WHERE id = ? AND ${untouched}`, id)) !== undefined;

/** Removes an unverified account and the rows that belong to it. False when there is no such account. */
export async function removeUnverified(tx: Query, id: string): Promise<boolean> {
  if (!(await isRemovable(tx, id))) return false;
  for (const sql of ownRowDeletions) await tx.run(sql, id);
  return (await deleteWhere(tx, "users", { id })) === 1;
}

/** Unverified accounts created until `before` (ms), oldest first. */
export const listUnverified = (q: Query, before: number, limit: number) =>
  q.all<{ id: string }>(
    `SELECT id FROM users WHERE created_at <= ? AND ${untouched} ORDER BY created_at LIMIT CAST(? AS INTEGER)`,
    before,
    limit,
  );

/** `second-step`: the password or link was right, and a code of the second factor is still missing. */
export type TokenPurpose = Tables["one_time_tokens"]["purpose"];

/** The purposes of the tokens that can start a session or change the password. */
export const signInPurposes = ["reset", "sign-in", "second-step"] as const satisfies readonly TokenPurpose[];

export const addToken = (tx: Query, token: New<"one_time_tokens">) => insertRow(tx, "one_time_tokens", token);

/** How many tokens of a purpose were created for an account since a time (ms), and when the last of them expires. */
export const countTokens = async (q: Query, userId: string, purpose: TokenPurpose, since: number) =>
  (await q.one<{ n: number; until: number | null }>(
    "SELECT COUNT(*) AS n, MAX(expires_at) AS until FROM one_time_tokens WHERE user_id = ? AND purpose = ? AND created_at >= ?",
    userId,
    purpose,
    since,
  ))!;

/** The account of a valid token. Does not use the token up. */
export const findByToken = (q: Query, hash: string, purpose: TokenPurpose, now: number) =>
  q.one<UserRow>(
    `SELECT u.* FROM one_time_tokens t JOIN users u ON u.id = t.user_id
      WHERE t.hash = ? AND t.purpose = ? AND t.used_at IS NULL AND t.expires_at > ?`,
    hash,
    purpose,
    now,
  );

/** A token of one of these purposes, whether it is valid or not, with the account that it belongs to. */
export const findAnyToken = (q: Query, hash: string, purposes: readonly TokenPurpose[]) =>
  q.one<Pick<Tables["one_time_tokens"], "used_at" | "expires_at"> & Pick<UserRow, "role" | "email_verified_at">>(
    `SELECT t.used_at, t.expires_at, u.role, u.email_verified_at FROM one_time_tokens t JOIN users u ON u.id = t.user_id
      WHERE t.hash = ? AND t.purpose IN (${purposes.map(() => "?").join(", ")})`,
    hash,
    ...purposes,
  );

/** Uses up a token. Undefined when it is unknown, used, expired or for another purpose. */
export const useToken = (tx: Query, hash: string, purpose: TokenPurpose, now: number) =>
  tx.one<{ user_id: string }>(
    "UPDATE one_time_tokens SET used_at = ? WHERE hash = ? AND purpose = ? AND used_at IS NULL AND expires_at > ? RETURNING user_id",
    now,
    hash,
    purpose,
    now,
  );

/** Invalidates the mailed links of these purposes. */
export const endLinks = (tx: Query, userId: string, purposes: readonly TokenPurpose[], now: number) =>
  tx.run(
    `UPDATE one_time_tokens SET used_at = ? WHERE user_id = ? AND purpose IN (${purposes.map(() => "?").join(", ")}) AND used_at IS NULL`,
    now,
    userId,
    ...purposes,
  );

/** The playtesters with this email address or name, at most two. */
export const findPlaytesters = (q: Query, text: string) =>
  q.all<UserRow>(
    "SELECT * FROM users WHERE role = 'playtester' AND (email_key = ? OR display_name = ?) LIMIT 2",
    emailKey(text),
    text,
  );
