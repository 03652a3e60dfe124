import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { eventKinds } from "./events/kinds.ts";
import { mailModes } from "./events/mails.ts";
import { id, page, timestamp } from "./fields.ts";

/** Admins have no scope for notifications: theirs come with each of their own. */
const scope = { access: { anyOf: ["notifications", "admin", "approve", "money", "accounts"] } } as const;

export const notificationSetting = z
  .strictObject({
    kind: z.enum(eventKinds).meta({ description: "Event kind." }),
    topic: z.string().meta({ description: "What the emails are about." }),
    mail: z.enum(mailModes).meta({ description: "Each email is sent, none is, or one email a day lists them." }),
  })
  .meta({ id: "NotificationSetting" });

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
  listNotificationSettings: endpoint("GET /notifications/settings", {
    ...scope,
    extension: true,
    summary: "List the kinds of emails you get",
    reply: z.strictObject({
      settings: z.array(notificationSetting),
      digestHour: z.int().meta({ description: "Hour of the day (UTC) of the daily email." }),
    }),
  }),
  updateNotificationSettings: endpoint("PATCH /notifications/settings", {
    ...scope,
    extension: true,
    summary: "Turn kinds of emails on or off, or into one email a day",
    body: z.strictObject({
      kinds: z
        .array(z.enum(eventKinds))
        .min(1)
        .max(50)
        .optional()
        .meta({ description: "Event kinds to change. Without it, all that you get emails about." }),
      mail: z.enum(mailModes).meta({ description: "`on`, `off`, or `digest` for one email a day." }),
    }),
    reply: z.strictObject({ settings: z.array(notificationSetting) }),
  }),
};
