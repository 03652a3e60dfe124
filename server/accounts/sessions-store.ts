import type { Query } from "../database/port.ts";
import { insertRow } from "../database/rows.ts";
import type { UserRow } from "./users-store.ts";

/** A browser that is signed in; its cookie's hash, and the token its forms carry. */
export interface SessionRow {
  hash: string;
  user_id: string;
  csrf: string;
  created_at: number;
  expires_at: number;
}

export interface SessionWithAccount extends SessionRow {
  role: UserRow["role"];
  display_name: string;
  email: string;
}

export const insert = (tx: Query, session: SessionRow) => insertRow(tx, "sessions", session);

/** Undefined also for one that ran out, and for an account that is suspended. */
export const find = (q: Query, hash: string, now: number) =>
  q.one<SessionWithAccount>(
    `SELECT s.hash, s.user_id, s.csrf, s.created_at, s.expires_at, u.role, u.display_name, u.email
       FROM sessions s JOIN users u ON u.id = s.user_id
      WHERE s.hash = ? AND s.expires_at > ? AND u.suspended_at IS NULL AND u.email_verified_at IS NOT NULL`,
    hash,
    now,
  );

export const end = (tx: Query, hash: string) => tx.run("DELETE FROM sessions WHERE hash = ?", hash);

/** Signs an account out of every browser. */
export const endAll = (tx: Query, userId: string) => tx.run("DELETE FROM sessions WHERE user_id = ?", userId);

export const endExpired = (tx: Query, userId: string, now: number) =>
  tx.run("DELETE FROM sessions WHERE user_id = ? AND expires_at <= ?", userId, now);
