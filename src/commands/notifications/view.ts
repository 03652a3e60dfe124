import { detail, type ItemOf, prose, viewOf } from "../../cli/define.ts";

export const notificationView = viewOf<ItemOf<"listNotifications">>(
  ["created:createdAt", "kind:type", "title", prose("text:body"), "read:readAt", detail("id", "text")],
  { empty: "No notifications." },
);
