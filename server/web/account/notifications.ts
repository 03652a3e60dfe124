import { html, type PageContent } from "../html.ts";
import { button, cursorOf, more } from "../shared/parts.ts";
import { time } from "../shared/text.ts";
import { type AreaPage, actionFor, type PageContext } from "../shared/types.ts";
import type { Place } from "./place.ts";

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
      ) => html`<li class="card${one.readAt === null && " new"}"><div class="head"><h2>${one.title}</h2><span class="soft">${time(one.createdAt)}</span></div>
<p class="prose">${one.body}</p></li>`,
    );
    const body = html`${data.unreadCount > 0 && html`<div class="head"><p>${data.unreadCount} unread</p>${button(context, markAllRead.at(), "Mark all as read", "link")}</div>`}
${items.length > 0 ? html`<ul class="list">${items}</ul>` : html`<p>No notifications yet.</p>`}${more(to.notifications(), meta.cursor)}`;
    return layout(context, { title: "Notifications", body }, "notifications");
  };
  return { at: to.notifications, view, actions: [markAllRead] };
}
