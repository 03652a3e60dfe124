import type { EventKind } from "../../src/contract/events/kinds.ts";
import { keyset, type Page } from "../database/keyset.ts";
import type { Query } from "../database/port.ts";
import { sendRows } from "../database/rows.ts";

export interface NotificationRow {
  id: string;
  user_id: string;
  event_id: string | null;
  type: EventKind;
  title: string;
  body: string;
  read_at: number | null;
  created_at: number;
}

/** Inserts the notifications. `rows` must not be empty. */
export const insert = (tx: Query, rows: readonly NotificationRow[]) => sendRows(tx, "notifications", rows);

export function list(q: Query, userId: string, unread: boolean, page: Page) {
  const { sql, values } = keyset(page, "n");
  const filter = unread ? "AND n.read_at IS NULL " : "";
  return q.all<NotificationRow>(`SELECT n.* FROM notifications n WHERE n.user_id = ? ${filter}${sql}`, userId, ...values);
}

/** The notification about an event, which has the time of the event (ms). */
export const findByEvent = (q: Query, userId: string, eventId: string, at: number) =>
  q.one<Pick<NotificationRow, "title" | "body">>(
    "SELECT title, body FROM notifications WHERE user_id = ? AND created_at = ? AND event_id = ?",
    userId,
    at,
    eventId,
  );

export const countUnread = async (q: Query, userId: string) =>
  (await q.one<{ count: number }>("SELECT COUNT(*) AS count FROM notifications WHERE user_id = ? AND read_at IS NULL", userId))
    ?.count ?? 0;

/** Marks all notifications of an account as read and returns how many were unread. */
export const markAllRead = (tx: Query, userId: string, now: number) =>
  tx.run("UPDATE notifications SET read_at = ? WHERE user_id = ? AND read_at IS NULL", now, userId);
