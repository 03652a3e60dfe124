import * as z from "zod";
import { audited, endpoint } from "../endpoint.ts";
import { country, email, readableText, text, timestamp } from "../fields.ts";
import { optionalCodeField } from "./factors.ts";
import { payoutMethods } from "./payout-methods.ts";

const own = { access: ["playtester"], extension: true } as const;

export const payoutDetails = z
  .strictObject({
    method: z.enum(payoutMethods),
    masked: z
      .string()
      .meta({ description: "What identifies them, such as the end of the account number. The rest is not shown." }),
    holder: z.string().nullable().meta({ description: "Name of the account's holder; null unless it is a bank account." }),
    address: z.string().nullable().meta({ description: "Postal address on your statements; null if none was entered." }),
    country: z.string().nullable().meta({ description: "Code of the country on your statements; null if none was entered." }),
    taxNumber: z.string().nullable().meta({ description: "End of the tax number on your statements; null if none was entered." }),
    changedAt: timestamp(),
    usableFrom: timestamp()
      .nullable()
      .meta({ description: "From when payouts can be made to them; null if they can be now. New details wait for a while." }),
  })
  .meta({ id: "PayoutDetails" });

const proof = {
  password: text(256, 1).meta({ description: "Current password." }),
  code: optionalCodeField(),
};
const shownDetails = z.strictObject({
  details: payoutDetails.nullable().meta({ description: "Null if there are none." }),
  holdHours: z.int().meta({ description: "How long new payout details wait." }),
});

/** Where a playtester wants to be paid. */
export const ownPayoutDetails = {
  getPayoutDetails: endpoint("GET /playtester/payout-details", {
    ...own,
    summary: "Show where you are paid, masked",
    reply: shownDetails,
  }),
  setPayoutDetails: endpoint("POST /playtester/payout-details", {
    ...own,
    ...audited("user.set_payout_details", "method"),
    secretReply: true,
    summary: "Set where you are paid",
    body: z.strictObject({
      method: z.enum(payoutMethods).meta({ description: "How you want to be paid." }),
      holder: readableText(70).optional().meta({ description: "Name of the account's holder. Required for a bank transfer." }),
      iban: text(42).optional().meta({ description: "IBAN of a bank account." }),
      accountNumber: readableText(34).optional().meta({ description: "Number of a bank account without an IBAN." }),
      routingNumber: readableText(34).optional().meta({ description: "Routing number, sort code or BIC of its bank." }),
      email: email().optional().meta({ description: "Email address of a PayPal account." }),
      instructions: readableText(500).optional().meta({ description: "How to pay you in another way." }),
      address: readableText(500)
        .optional()
        .meta({ description: "Your postal address, with line breaks, for your statements and the tax reports of who pays you." }),
      country: country().optional().meta({ description: "Code of your country, such as DE, for the same." }),
      taxNumber: readableText(50)
        .optional()
        .meta({ description: "Your tax number, for the same. Statements show only its end." }),
      ...proof,
    }),
    reply: shownDetails,
    limit: "password",
    errors: ["CODE_REQUIRED"],
  }),
  removePayoutDetails: endpoint("POST /playtester/payout-details/remove", {
    ...own,
    ...audited("user.remove_payout_details"),
    summary: "Remove where you are paid",
    risk: "destroy",
    body: z.strictObject(proof),
    reply: shownDetails,
    limit: "password",
    errors: ["CODE_REQUIRED"],
  }),
};
