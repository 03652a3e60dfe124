import { html, type PageContent } from "../html.ts";
import { button, cursorOf, frame, more, time, type Visit } from "./layout.ts";

/** `/play/notifications`: what happened, newest first. */
export async function notificationsPage(visit: Visit): Promise<PageContent> {
  const { data, next } = await visit.ask(visit.session, "listNotifications", { cursor: cursorOf(visit) });
  const items = data.notifications.map(
    (
      one,
    ) => html`<li class="card${one.readAt === null && " new"}"><div class="head"><h2>${one.title}</h2><span class="soft">${time(one.createdAt)}</span></div>
<p class="prose">${one.body}</p></li>`,
  );
  const body = html`${data.unreadCount > 0 && html`<div class="head"><p>${data.unreadCount} unread</p>${button(visit, "/play/notifications/read", "Mark all as read", "link")}</div>`}
${items.length > 0 ? html`<ul class="list">${items}</ul>` : html`<p>Nothing has happened yet.</p>`}${more("/play/notifications", next)}`;
  return frame(visit, "notifications", { title: "News", body });
}

export async function markAllRead({ ask, session, form }: Visit): Promise<string> {
  await ask(session, "markAllRead", { once: form.once });
  return "/play/notifications";
}
