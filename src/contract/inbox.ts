import { z } from "zod";
import { endpoint, roles } from "./endpoint.ts";
import { id, timestamp } from "./fields.ts";

/** What may wait for an account, most urgent first. Which of them it can have depends on its role. */
export const inboxKinds = [
  "reservedSlots",
  "problems",
  "reviews",
  "applications",
  "unpaidOrders",
  "approvals",
  "payoutsOwed",
  "unmatchedDeposits",
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
    amountCents: z.int().nullable().meta({ description: "Earnings owed, or the credit that is left." }),
    firstId: id().nullable().meta({ description: "What to look at first: a slot, playtest, conversation or approval." }),
  })
  .meta({ id: "InboxItem" });

export const inbox = {
  getInbox: endpoint("GET /inbox", {
    access: "main",
    extension: true,
    summary: "Show what waits for you",
    reply: z.strictObject({
      role: z.enum(roles),
      items: z.array(inboxItem).meta({ description: "Only those that the scopes of the API key may see." }),
    }),
  }),
};
