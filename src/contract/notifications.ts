import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { eventKinds } from "./events/kinds.ts";
import { id, page, timestamp } from "./fields.ts";

const scope = { access: ["notifications"] } as const;

export const notification = z
  .strictObject({
    id: id(),
    type: z.enum(eventKinds).meta({ description: "Event kind." }),
    title: z.string(),
    body: z.string(),
    readAt: timestamp().nullable(),
    createdAt: timestamp(),
  })
  .meta({ id: "Notification" });

export const notifications = {
  listNotifications: endpoint("GET /notifications", {
    ...scope,
    summary: "List notifications",
    query: z.object({
      ...page,
      unread: z
        .string()
        .optional()
        .transform((value) => value === "true")
        .meta({ description: "`true` lists only unread notifications." }),
    }),
    list: true,
    reply: z.strictObject({
      notifications: z.array(notification),
      unreadCount: z.int(),
    }),
  }),
  markAllRead: endpoint("POST /notifications/mark-all-read", {
    ...scope,
    summary: "Mark all notifications as read",
    reply: z.strictObject({ message: z.string(), updatedCount: z.int() }),
  }),
};
