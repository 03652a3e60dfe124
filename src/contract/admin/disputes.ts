import * as z from "zod";
import { disputeStatuses, payment } from "../billing.ts";
import { audited, endpoint } from "../endpoint.ts";
import { cents, id, page, readableText, timestamp } from "../fields.ts";

const money = { access: ["money"], extension: true } as const;
const movesMoney = { ...money, confirmed: true } as const;

export const dispute = z
  .strictObject({
    id: z.string().meta({ description: "The card processor's id, or the payment's id if it was recorded by hand." }),
    status: z.enum(disputeStatuses).meta({
      description:
        "`open` while it freezes the owner, `lifted` when an administrator ended that, `won` when the amount was returned.",
    }),
    paymentId: id(),
    userId: id().meta({ description: "Owner who paid." }),
    displayName: z.string().meta({ description: "Name of the owner." }),
    amountCents: cents().meta({ description: "What it took of the payment." }),
    paymentCents: cents().meta({ description: "Amount of the payment." }),
    answerBy: timestamp()
      .nullable()
      .meta({ description: "Until when the bank waits for an answer; null if it waits for none, or if that is not known." }),
    createdAt: timestamp(),
    liftedAt: timestamp().nullable(),
  })
  .meta({ id: "Dispute" });

/** What administrators do about disputes. */
export const disputes = {
  chargebackPayment: endpoint("POST /admin/payments/:id/chargeback", {
    ...movesMoney,
    ...audited("payment.chargeback"),
    summary: "Record that a payment was charged back",
    risk: "destroy",
    reply: z.strictObject({ payment }),
  }),
  listDisputes: endpoint("GET /admin/disputes", {
    ...money,
    summary: "List disputed card payments",
    query: z.object({
      ...page,
      status: z.enum(disputeStatuses).optional().meta({ description: "Status to list; default `open`." }),
    }),
    list: true,
    reply: z.strictObject({ disputes: z.array(dispute) }),
  }),
  liftDispute: endpoint("POST /admin/payments/:id/lift-dispute", {
    ...movesMoney,
    ...audited("payment.lift_dispute", "note"),
    summary: "End the freeze that came with the dispute of a payment",
    risk: "spend",
    body: z.strictObject({ note: readableText(500).meta({ description: "Reason, kept in the audit log." }) }),
    reply: z.strictObject({ payment }),
  }),
};
