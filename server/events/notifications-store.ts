import type { Page } from "../database/keyset.ts";
import type { Query } from "../database/port.ts";
import { countRows, listRows, sendRows, updateWhere } from "../database/rows.ts";
import type { New, Tables } from "../database/schema/index.ts";

export type NotificationRow = Tables["notifications"];

/** Inserts the notifications. `rows` must not be empty. */
export const insert = (tx: Query, rows: readonly New<"notifications">[]) => sendRows(tx, "notifications", rows);

export const list = (q: Query, userId: string, unread: boolean, page: Page) =>
  listRows(q, "notifications", page, { user_id: userId, ...(unread && { read_at: null }) });

/** The notification about an event, which has the time of the event (ms). */
export const findByEvent = (q: Query, userId: string, eventId: string, at: number) =>
  q.one<Pick<NotificationRow, "title" | "body">>(
    "SELECT title, body FROM notifications WHERE user_id = ? AND created_at = ? AND event_id = ?",
    userId,
    at,
    eventId,
  );

export const countUnread = (q: Query, userId: string) => countRows(q, "notifications", { user_id: userId, read_at: null });

/** Marks all notifications of an account as read and returns how many were unread. */
export const markAllRead = (tx: Query, userId: string, now: number) =>
  updateWhere(tx, "notifications", { read_at: now }, { user_id: userId, read_at: null });
