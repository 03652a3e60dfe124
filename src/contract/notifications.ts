import * as z from "zod";
import { endpoint, roles } from "./endpoint.ts";
import { eventKinds } from "./events/kinds.ts";
import { mailKinds, mailModes, newPlaytests } from "./events/mails.ts";
import { extension, id, page, timestamp } from "./fields.ts";

const scope = { access: ["notifications"] } as const;
/** Admins have no scope for notifications. Each of their own is enough. */
const orAdmin = { access: { anyOf: ["notifications", "admin", "approve", "money", "accounts"] } } as const;

export const notificationSetting = z
  .strictObject({
    kind: z.enum(mailKinds).meta({ description: `Event kind, or \`${newPlaytests}\`, which is no event.` }),
    topic: z.string().meta({ description: "What the emails are about." }),
    mail: z.enum(mailModes).meta({
      description: "Each email is sent, none is, or one email a day lists them. What would come too late in it is sent at once.",
    }),
  })
  .meta({ id: "NotificationSetting" });

export const notification = z
  .strictObject({
    id: id(),
    type: z.enum(eventKinds).meta({ description: "Event kind." }),
    title: z.string(),
    body: z.string(),
    path: extension(
      z.string().nullable().meta({ description: "Path on this server of the page about it; null where there is none." }),
    ),
    readAt: timestamp().nullable(),
    createdAt: timestamp(),
  })
  .meta({ id: "Notification" });

/** What may wait for an account, most urgent first. Which of them it can have depends on its role. */
export const inboxKinds = [
  "reservedSlots",
  "problems",
  "lackingKeys",
  "reviews",
  "applications",
  "unpaidOrders",
  "waitingOrders",
  "approvals",
  "failedPublications",
  "disputes",
  "flaggedPayments",
  "payoutsOwed",
  "unmatchedDeposits",
  "refusedMails",
  "failedJobs",
  "unreadMessages",
  "lowCredit",
] as const;
export type InboxKind = (typeof inboxKinds)[number];

export const inboxItem = z
  .strictObject({
    kind: z.enum(inboxKinds),
    count: z.int().meta({ description: "How many of them wait; 0 when none does." }),
    dueAt: timestamp().nullable().meta({ description: "The first deadline, if there is one." }),
    amountCents: z.int().nullable().meta({ description: "Earnings owed, what is disputed, or the credit that is left." }),
    firstId: id()
      .nullable()
      .meta({ description: "What to look at first: a slot, playtest, conversation, approval, publication or disputed payment." }),
  })
  .meta({ id: "InboxItem" });

export const notifications = {
  getInbox: endpoint("GET /inbox", {
    access: { anyOf: ["game_owner", "playtester", "admin", "approve", "money", "accounts"] },
    extension: true,
    summary: "Show what waits for you",
    reply: z.strictObject({
      role: z.enum(roles),
      items: z.array(inboxItem).meta({ description: "Only those that the scopes of the API key may see." }),
    }),
  }),
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
    ...orAdmin,
    extension: true,
    summary: "List the kinds of emails you get",
    reply: z.strictObject({
      settings: z.array(notificationSetting),
      digestHour: z.int().meta({ description: "Hour of the day (UTC) of the daily email." }),
      address: z.string().nullable().meta({ description: "Where these emails go. Null: no email reaches this account." }),
    }),
  }),
  updateNotificationSettings: endpoint("PATCH /notifications/settings", {
    ...orAdmin,
    extension: true,
    summary: "Turn kinds of emails on or off, or into one email a day",
    body: z.strictObject({
      kinds: z
        .array(z.enum(mailKinds))
        .min(1)
        .max(50)
        .optional()
        .meta({
          description: `Kinds to change. Without it, all that you get emails about; \`${newPlaytests}\` is then turned off, but not on.`,
        }),
      mail: z.enum(mailModes).meta({
        description: `\`on\`, \`off\`, or \`digest\` for one email a day, which is what \`on\` means for \`${newPlaytests}\`.`,
      }),
    }),
    reply: z.strictObject({ settings: z.array(notificationSetting) }),
  }),
};
