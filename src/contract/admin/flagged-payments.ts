import * as z from "zod";
import { payment } from "../billing.ts";
import { audited, endpoint } from "../endpoint.ts";
import { cents, id, page, readableText, timestamp } from "../fields.ts";
import { paymentStatuses } from "../states/index.ts";

const money = { access: ["money"], extension: true } as const;

const flaggedPayment = z
  .strictObject({
    id: id(),
    userId: id().meta({ description: "Owner who paid." }),
    displayName: z.string().meta({ description: "Name of the owner." }),
    amountCents: cents(),
    status: z.enum(paymentStatuses),
    provider: z.string(),
    externalId: z.string().nullable().meta({ description: "The processor's id of the payment." }),
    reason: z.string().meta({ description: "What happened to it." }),
    createdAt: timestamp().meta({ description: "When it was flagged." }),
  })
  .meta({ id: "FlaggedPayment" });

/** Payments to which something happened that no rule of the server settles alone, such as one that was paid after its order had ended. */
export const flaggedPayments = {
  listFlaggedPayments: endpoint("GET /admin/flagged-payments", {
    ...money,
    summary: "List payments that an operator should look at",
    query: z.object(page),
    list: true,
    reply: z.strictObject({ payments: z.array(flaggedPayment) }),
  }),
  clearPaymentFlag: endpoint("POST /admin/payments/:id/clear-flag", {
    ...money,
    ...audited("payment.clear_flag", "note"),
    summary: "Record that a flagged payment was looked at",
    body: z.strictObject({ note: readableText(500).meta({ description: "What you found or did, kept in the audit log." }) }),
    reply: z.strictObject({ payment }),
  }),
};
