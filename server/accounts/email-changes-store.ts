import type { Query } from "../database/port.ts";
import { insertRow } from "../database/rows.ts";

/** A pending change of an account's email address, until both addresses are confirmed. At most one per account. */
export interface ChangeRow {
  user_id: string;
  email: string;
  email_key: string;
  created_at: number;
  expires_at: number;
  from_confirmed_at: number | null;
  to_confirmed_at: number | null;
}

export const insert = (tx: Query, change: ChangeRow) => insertRow(tx, "email_changes", change);

export const find = (q: Query, userId: string, now: number) =>
  q.one<ChangeRow>("SELECT * FROM email_changes WHERE user_id = ? AND expires_at > ?", userId, now);

export const confirm = (tx: Query, userId: string, side: "from_confirmed_at" | "to_confirmed_at", now: number) =>
  tx.run(`UPDATE email_changes SET ${side} = ? WHERE user_id = ?`, now, userId);

export const remove = (tx: Query, userId: string) => tx.run("DELETE FROM email_changes WHERE user_id = ?", userId);
