import { portal } from "../../../src/contract/pages/addresses.ts";
import { html, type PageContent } from "../html.ts";
import { button, cursorOf, more } from "../shared/parts.ts";
import { time } from "../shared/text.ts";
import { signedInLayout } from "./layout.ts";
import { action, type PageContext, type PortalPage } from "./types.ts";

/** `/play/notifications`: newest first. */
export async function notificationsPage(context: PageContext): Promise<PageContent> {
  const { data, meta } = await context.call("listNotifications", { query: { cursor: cursorOf(context) } });
  const items = data.notifications.map(
    (
      one,
    ) => html`<li class="card${one.readAt === null && " new"}"><div class="head"><h2>${one.title}</h2><span class="soft">${time(one.createdAt)}</span></div>
<p class="prose">${one.body}</p></li>`,
  );
  const body = html`${data.unreadCount > 0 && html`<div class="head"><p>${data.unreadCount} unread</p>${button(context, markAllRead.at(), "Mark all as read", "link")}</div>`}
${items.length > 0 ? html`<ul class="list">${items}</ul>` : html`<p>No notifications yet.</p>`}${more(portal.notifications(), meta.cursor)}`;
  return signedInLayout(context, "notifications", { title: "Notifications", body });
}

const markAllRead = action({ at: portal.notifications.below("read") }, async ({ call, form }) => {
  await call("markAllRead", { idempotencyKey: form.formKey });
  return portal.notifications();
});

export const notifications: PortalPage = { at: portal.notifications, view: notificationsPage, actions: [markAllRead] };
