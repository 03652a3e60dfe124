import * as z from "zod";
import { endpoint } from "../endpoint.ts";
import { cents, id, page, timestamp } from "../fields.ts";

const year = () => z.string().regex(/^20\d\d$/, "must be a year such as 2026");
const month = () => z.string().regex(/^20\d\d-(0[1-9]|1[0-2])$/, "must be a month such as 2026-10");

export const statement = z
  .strictObject({
    period: z.string().meta({ description: "The month or year, in UTC." }),
    from: timestamp(),
    to: timestamp().meta({ description: "Not part of it any more." }),
    beginCents: z.int().meta({ description: "Balance at the beginning." }),
    earnedCents: cents(),
    paidCents: cents().meta({ description: "Payouts that were made." }),
    returnedCents: cents().meta({ description: "Payouts that failed and were returned to the balance." }),
    endCents: z.int().meta({ description: "Balance at the end, or now if that is earlier." }),
    heldCents: cents().meta({
      description: "Part of the balance at the end that was held because it may come from card payments.",
    }),
    payouts: z
      .array(
        z.strictObject({
          payoutId: id(),
          kind: z.enum(["made", "returned"]).meta({ description: "A payout that failed is returned to the balance." }),
          at: timestamp(),
          reference: z
            .string()
            .nullable()
            .meta({ description: "Reference of the transfer; null for a payout that was recorded by itself." }),
          paidTo: z.string().nullable().meta({ description: "End of the account it was made to, if that is known." }),
          amountCents: cents(),
        }),
      )
      .meta({ description: "Payouts that were made or returned, oldest first." }),
    games: z.array(z.strictObject({ id: id(), name: z.string(), slots: z.int(), amountCents: cents() })),
  })
  .meta({ id: "Statement" });

export const payoutTotal = z
  .strictObject({
    userId: id(),
    displayName: z.string(),
    email: z.string(),
    earnedCents: cents(),
    paidCents: z.int().meta({ description: "Payouts that were made in the year, less those that failed in it." }),
    balanceCents: z.int().meta({ description: "Balance at the end of the year, or now if that is earlier." }),
  })
  .meta({ id: "PayoutTotal" });

const ofPeriod = {
  access: ["playtester"],
  extension: true,
  query: z.object({
    month: month().optional().meta({ description: "Month in UTC, such as 2026-10." }),
    year: year().optional().meta({ description: "Year in UTC, such as 2026." }),
  }),
} as const;

export const statements = {
  getStatement: endpoint("GET /playtester/statement", {
    ...ofPeriod,
    summary: "Show your earnings and payouts of a month or year",
    reply: z.strictObject({ statement }),
  }),
  getStatementFile: endpoint("GET /playtester/statement/file", {
    ...ofPeriod,
    summary: "Download the statement of a month or year as a PDF",
    media: "binary",
    reply: z.unknown(),
  }),
};

export const payoutTotals = {
  listPayoutTotals: endpoint("GET /admin/payout-totals", {
    access: ["money"],
    extension: true,
    summary: "List what each playtester earned and was paid in a year",
    query: z.object({ ...page, year: year().meta({ description: "Year in UTC, such as 2026." }) }),
    list: true,
    reply: z.strictObject({ totals: z.array(payoutTotal) }),
  }),
};
