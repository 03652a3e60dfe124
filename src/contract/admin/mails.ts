import * as z from "zod";
import { audited, endpoint } from "../endpoint.ts";
import { id, page, timestamp } from "../fields.ts";

const accounts = { access: ["accounts"], extension: true } as const;

/** `waiting`: it is tried again. `failed`: the mail server refused it, or four days passed; it is not tried again. */
export const mailStates = ["waiting", "sent", "failed"] as const;
export type MailState = (typeof mailStates)[number];

export const mail = z
  .strictObject({
    id: id(),
    to: z.string().meta({ description: "Address of the recipient." }),
    subject: z.string(),
    state: z.enum(mailStates),
    tries: z.int().meta({ description: "How many tries failed." }),
    error: z.string().nullable().meta({ description: "Why the last try failed; null once it was sent." }),
    createdAt: timestamp(),
    sentAt: timestamp().nullable(),
    failedAt: timestamp().nullable().meta({ description: "When it failed: it is not retried." }),
    expiresAt: timestamp().nullable().meta({ description: "Until when the link in it works; null without one." }),
  })
  .meta({ id: "AdminMail" });

export const mails = {
  listMails: endpoint("GET /admin/mails", {
    ...accounts,
    summary: "List the emails of the server, without their texts, and whether they were sent",
    query: z.object({
      ...page,
      state: z.enum(mailStates).optional().meta({ description: "Only emails in this state." }),
    }),
    list: true,
    reply: z.strictObject({ mails: z.array(mail) }),
  }),
  retryMail: endpoint("POST /admin/mails/:id/retry", {
    ...accounts,
    ...audited("mail.retry"),
    summary: "Send a waiting or failed email now",
    reply: z.strictObject({ mail }),
  }),
};
