import type { Query } from "../database/port.ts";
import { deleteWhere, insertRow } from "../database/rows.ts";
import type { New, Tables } from "../database/schema/index.ts";

export type SessionRow = Tables["sessions"];

export type SessionWithAccount = SessionRow & Pick<Tables["users"], "role" | "display_name" | "email">;

export const insert = (tx: Query, session: New<"sessions">) => insertRow(tx, "sessions", session);

/** The session with this hash. Undefined when there is none, it has expired or its account is suspended. */
export const find = (q: Query, hash: string, now: number) =>
  q.one<SessionWithAccount>(
    `SELECT s.hash, s.id, s.user_id, s.csrf, s.created_at, s.last_used_at, s.expires_at, s.address, s.agent, u.role, u.display_name, u.email
       FROM sessions s JOIN users u ON u.id = s.user_id
      WHERE s.hash = ? AND s.expires_at > ? AND u.suspended_at IS NULL AND u.email_verified_at IS NOT NULL`,
    hash,
    now,
  );

/** Whether the session with this id has not ended and its account is not suspended. */
export const isLive = async (q: Query, id: string, now: number) =>
  (await q.one(
    "SELECT 1 AS one FROM sessions s JOIN users u ON u.id = s.user_id WHERE s.id = ? AND s.expires_at > ? AND u.suspended_at IS NULL",
    id,
    now,
  )) !== undefined;

export const end = (tx: Query, hash: string) => deleteWhere(tx, "sessions", { hash });

/** The sessions of an account that have not expired, newest first. */
export const listForUser = (q: Query, userId: string, now: number) =>
  q.all<SessionRow>("SELECT * FROM sessions WHERE user_id = ? AND expires_at > ? ORDER BY created_at DESC, id DESC", userId, now);

/** Ends a session of an account. Returns 0 when the account has no such session. */
export const endById = (tx: Query, id: string, userId: string) => deleteWhere(tx, "sessions", { id, user_id: userId });

export async function touch(tx: Query, used: readonly (readonly [hash: string, at: number])[]): Promise<void> {
  for (const [hash, at] of used) await tx.run("UPDATE sessions SET last_used_at = ? WHERE hash = ?", at, hash);
}

/** Signs an account out of every browser. */
export const endAll = (tx: Query, userId: string) => deleteWhere(tx, "sessions", { user_id: userId });

export const endExpired = (tx: Query, userId: string, now: number) =>
  tx.run("DELETE FROM sessions WHERE user_id = ? AND expires_at <= ?", userId, now);
