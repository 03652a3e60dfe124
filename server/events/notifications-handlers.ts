import type { Deps } from "../app/deps.ts";
import type { HandlersFor } from "../http/call.ts";
import { iso, isoOrNull } from "../lib/time.ts";
import * as notificationStore from "./notifications-store.ts";

const notificationView = (row: notificationStore.NotificationRow) => ({
  id: row.id,
  type: row.type,
  title: row.title,
  body: row.body,
  readAt: isoOrNull(row.read_at),
  createdAt: iso(row.created_at),
});

export function notifications(deps: Deps): HandlersFor<"listNotifications" | "markAllRead"> {
  return {
    async listNotifications(call) {
      const { userId } = call.principal;
      const page = call.page();
      const { rows, unreadCount } = await call.read(async (q) => ({
        rows: await notificationStore.list(q, userId, call.query.unread, page),
        unreadCount: await notificationStore.countUnread(q, userId),
      }));
      return call.listed(page, rows, (items) => ({ notifications: items.map(notificationView), unreadCount }));
    },

    markAllRead: (call) =>
      call.commit(async (tx) => {
        const updatedCount = await notificationStore.markAllRead(tx, call.principal.userId, deps.clock.now());
        return { message: "All notifications were marked as read.", updatedCount };
      }),
  };
}
