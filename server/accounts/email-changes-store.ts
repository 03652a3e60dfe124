import type { Query } from "../database/port.ts";
import { deleteWhere, insertRow } from "../database/rows.ts";
import type { New, Tables } from "../database/schema/index.ts";

export type ChangeRow = Tables["email_changes"];

export const insert = (tx: Query, change: New<"email_changes">) => insertRow(tx, "email_changes", change);

export const find = (q: Query, userId: string, now: number) =>
  q.one<ChangeRow>("SELECT * FROM email_changes WHERE user_id = ? AND expires_at > ?", userId, now);

export const confirm = (tx: Query, userId: string, side: "from_confirmed_at" | "to_confirmed_at", now: number) =>
  tx.run(`UPDATE email_changes SET ${side} = ? WHERE user_id = ?`, now, userId);

export const remove = (tx: Query, userId: string) => deleteWhere(tx, "email_changes", { user_id: userId });
