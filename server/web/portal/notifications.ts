import { portal } from "../../../src/contract/pages/addresses.ts";
import { html, type Markup, type PageContent } from "../html.ts";
import { button, cursorOf, more } from "../shared/parts.ts";
import { time } from "../shared/text.ts";
import { signedInLayout } from "./layout.ts";
import { action, type PageContext, type PortalPage } from "./types.ts";

/** A time as notifications have it: `2026-03-04 12:00 UTC`. */
const timeInText = /(\d{4}-\d\d-\d\d) (\d\d:\d\d) UTC/g;

/** The text of a notification, whose times are shown in the reader's own zone. */
function withTimes(text: string): Markup {
  const parts: (Markup | string)[] = [];
  let end = 0;
  for (const { 0: whole, 1: day, 2: minute, index } of text.matchAll(timeInText)) {
    parts.push(text.slice(end, index), time(`${day}T${minute}:00.000Z`));
    end = index + whole.length;
  }
  return html`${parts}${text.slice(end)}`;
}

/** `/play/notifications`: newest first. */
export async function notificationsPage(context: PageContext): Promise<PageContent> {
  const { data, meta } = await context.call("listNotifications", { query: { cursor: cursorOf(context) } });
  const items = data.notifications.map(
    (
      one,
    ) => html`<li class="card${one.readAt === null && " new"}"><div class="head"><h2>${one.path === null || one.path === undefined ? one.title : html`<a href="${one.path}">${one.title}</a>`}</h2><span class="soft">${time(one.createdAt)}</span></div>
<p class="prose">${withTimes(one.body)}</p></li>`,
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
