import { html, type Markup, type PageContent } from "../html.ts";
import { button, cursorOf, more } from "../shared/parts.ts";
import { time } from "../shared/text.ts";
import { type AreaPage, actionFor, type PageContext } from "../shared/types.ts";
import type { Place } from "./place.ts";

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

/** `/play/notifications`, `/studio/notifications`: newest first. */
export function notifications<C extends PageContext>({ to, layout }: Pick<Place<C>, "to" | "layout">): AreaPage<C> {
  const markAllRead = actionFor<C>()({ at: to.notifications.below("read") }, async ({ call, form }) => {
    await call("markAllRead", { idempotencyKey: form.formKey });
    return to.notifications();
  });
  const view = async (context: C): Promise<PageContent> => {
    const { data, meta } = await context.call("listNotifications", { query: { cursor: cursorOf(context) } });
    const items = data.notifications.map(
      (
        one,
      ) => html`<li class="card${one.readAt === null && " new"}"><div class="head"><h2>${one.path === null || one.path === undefined ? one.title : html`<a href="${one.path}">${one.title}</a>`}</h2><span class="soft">${time(one.createdAt)}</span></div>
<p class="prose">${withTimes(one.body)}</p></li>`,
    );
    const body = html`${data.unreadCount > 0 && html`<div class="head"><p>${data.unreadCount} unread</p>${button(context, markAllRead.at(), "Mark all as read", "link")}</div>`}
${items.length > 0 ? html`<ul class="list">${items}</ul>` : html`<p>No notifications yet.</p>`}${more(to.notifications(), meta.cursor)}`;
    return layout(context, { title: "Notifications", body }, "notifications");
  };
  return { at: to.notifications, view, actions: [markAllRead] };
}
