import type { Role } from "../../src/contract/endpoint.ts";
import type { Query } from "../database/port.ts";
import { insertRow, updateRow } from "../database/rows.ts";

export interface UserRow {
  id: string;
  email: string;
  /** The e-mail in lower case: what makes an account unique. */
  email_key: string;
  password_hash: string;
  role: Role;
  display_name: string;
  company_name: string;
  website_url: string | null;
  gaming_experience: string | null;
  email_verified_at: number | null;
  validated_at: number | null;
  suspended_at: number | null;
  simulated: number;
  created_at: number;
  updated_at: number;
}

export const emailKey = (email: string) => email.trim().toLowerCase();

export const find = (q: Query, id: string) => q.one<UserRow>("SELECT * FROM users WHERE id = ?", id);
export const findByEmail = (q: Query, email: string) =>
  q.one<UserRow>("SELECT * FROM users WHERE email_key = ?", emailKey(email));
export const hasRole = async (q: Query, role: UserRow["role"]) =>
  (await q.one("SELECT id FROM users WHERE role = ? LIMIT 1", role)) !== undefined;
export const insert = (tx: Query, user: UserRow) => insertRow(tx, "users", user);
export const update = (tx: Query, id: string, changes: Partial<UserRow>) => updateRow(tx, "users", id, changes);

export type TokenPurpose = "verify" | "reset" | "sign-in";

export const addToken = (
  tx: Query,
  token: { hash: string; user_id: string; purpose: TokenPurpose; created_at: number; expires_at: number },
) => insertRow(tx, "one_time_tokens", token);

/** How many of a purpose an account was given since a time (ms). */
export const countTokens = async (q: Query, userId: string, purpose: TokenPurpose, since: number) =>
  (await q.one<{ n: number }>(
    "SELECT COUNT(*) AS n FROM one_time_tokens WHERE user_id = ? AND purpose = ? AND created_at >= ?",
    userId,
    purpose,
    since,
  ))!.n;

/** Whether a token would work now, without using it up. */
export const hasToken = async (q: Query, hash: string, purpose: TokenPurpose, now: number) =>
  (await q.one(
    "SELECT hash FROM one_time_tokens WHERE hash = ? AND purpose = ? AND used_at IS NULL AND expires_at > ?",
    hash,
    purpose,
    now,
  )) !== undefined;

/** Uses a token up; undefined when it is unknown, used, expired or for something else. */
export const useToken = (tx: Query, hash: string, purpose: TokenPurpose, now: number) =>
  tx.one<{ user_id: string }>(
    "UPDATE one_time_tokens SET used_at = ? WHERE hash = ? AND purpose = ? AND used_at IS NULL AND expires_at > ? RETURNING user_id",
    now,
    hash,
    purpose,
    now,
  );

/** What was mailed to an account opens nothing any more; its address can still be verified. */
export const endLinks = (tx: Query, userId: string, now: number) =>
  tx.run(
    "UPDATE one_time_tokens SET used_at = ? WHERE user_id = ? AND purpose IN ('reset', 'sign-in') AND used_at IS NULL",
    now,
    userId,
  );
