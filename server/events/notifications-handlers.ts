import type { Role } from "../../src/contract/endpoint.ts";
import { isAskedFor, type MailedKind, mailedKinds, mailedTopics } from "../../src/contract/events/mails.ts";
import type { EventData } from "../../src/contract/events/payloads.ts";
import * as users from "../accounts/users-store.ts";
import type { Query } from "../database/port.ts";
import type { Handlers, Principal } from "../http/call.ts";
import { invalid } from "../lib/api-error.ts";
import { iso, isoOrNull } from "../lib/time.ts";
import { eventPath } from "../mail/links.ts";
import { reachesNobody } from "../mail/rules.ts";
import { chooseMails } from "./choose-mails.ts";
import { canReceive } from "./event-mails.ts";
import * as notificationStore from "./notifications-store.ts";
import { modesOf } from "./settings-store.ts";
import * as events from "./store.ts";

type Known = Awaited<ReturnType<typeof events.dataOf>>;

/** Null for a notification whose event is no longer kept. */
function pathOf(role: Role, event: ReturnType<Known["get"]>): string | null {
  return event ? eventPath(role, event.kind, JSON.parse(event.data) as EventData) : null;
}

const notificationView = (row: notificationStore.NotificationRow, role: Role, known: Known) => ({
  id: row.id,
  type: row.type,
  title: row.title,
  body: row.body,
  path: pathOf(role, known.get(row.event_id ?? "")),
  readAt: isoOrNull(row.read_at),
  createdAt: iso(row.created_at),
});

const settingsOf = async (q: Query, { userId, role }: Principal) =>
  (await modesOf<MailedKind>(q, userId, mailedKinds[role])).map(({ kind, mail }) => ({ kind, topic: mailedTopics[kind], mail }));

export const notifications = {
  async listNotificationSettings(call) {
    const { digestHour } = call.deps.config.mail;
    return call.read(async (q) => {
      const user = (await users.find(q, call.principal.userId))!;
      const settings = await settingsOf(q, call.principal);
      return { settings, digestHour, address: canReceive(q, user) && !reachesNobody(user.email) ? user.email : null };
    });
  },

  updateNotificationSettings: (call) =>
    call.commit(async (tx) => {
      const { userId, role } = call.principal;
      const mine: readonly MailedKind[] = mailedKinds[role];
      const { kinds, mail } = call.body;
      const unknown = kinds?.find((kind) => !mine.includes(kind as MailedKind));
      if (unknown)
        throw invalid("kinds", `contains ${unknown}, about which you get no emails. You get those about ${mine.join(", ")}`);
      const all = mine.filter((kind) => mail === "off" || !isAskedFor(kind));
      await chooseMails(call.deps, tx, userId, (kinds as MailedKind[] | undefined) ?? all, mail);
      return { settings: await settingsOf(tx, call.principal) };
    }),

  async listNotifications(call) {
    const { userId, role } = call.principal;
    const page = call.page();
    const { rows, known, unreadCount } = await call.read(async (q) => {
      const found = await notificationStore.list(q, userId, call.query.unread, page);
      const ids = found.flatMap(({ event_id }) => event_id ?? []);
      return { rows: found, known: await events.dataOf(q, ids), unreadCount: await notificationStore.countUnread(q, userId) };
    });
    return call.listed(page, rows, (items) => ({
      notifications: items.map((row) => notificationView(row, role, known)),
      unreadCount,
    }));
  },

  markAllRead: (call) =>
    call.commit(async (tx) => {
      const updatedCount = await notificationStore.markAllRead(tx, call.principal.userId, tx.now);
      return { message: "All notifications were marked as read.", updatedCount };
    }),
} satisfies Partial<Handlers>;
