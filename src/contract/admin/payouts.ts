import * as z from "zod";
import { payoutMethods } from "../accounts/payout-methods.ts";
import { audited, endpoint } from "../endpoint.ts";
import { cents, id, page, pageQuery, readableText, timestamp } from "../fields.ts";
import { payoutStatuses } from "../states/index.ts";

const money = { access: ["money"], extension: true } as const;
const movesMoney = { ...money, confirmed: true } as const;

/** Why a playtester who is owed something cannot be paid. */
export const payoutObstacles = ["suspended", "no_details", "new_details"] as const;

export const owed = z
  .strictObject({
    userId: id(),
    displayName: z.string(),
    email: z.string(),
    balanceCents: cents().meta({ description: "Earnings not paid out yet: available, held and disputed." }),
    availableCents: cents().meta({ description: "What can be paid out now." }),
    heldCents: cents().meta({ description: "What is held because it may come from a card payment." }),
    nextReleaseAt: timestamp()
      .nullable()
      .meta({ description: "When a part of what is held becomes available; null if nothing is held." }),
    disputedCents: cents().meta({ description: "What is on hold until the dispute of a payment has ended." }),
    method: z
      .enum(payoutMethods)
      .nullable()
      .meta({ description: "How the playtester wants to be paid; null if there are no details." }),
    obstacle: z.enum(payoutObstacles).nullable().meta({
      description:
        "Why no batch pays the playtester: account suspended, no payout details, or new ones that wait; null if one would.",
    }),
    detailsUsableFrom: timestamp().nullable().meta({ description: "Until when new payout details wait; null if they do not." }),
  })
  .meta({ id: "Owed" });

export const payout = z
  .strictObject({
    id: id(),
    userId: id(),
    displayName: z.string().meta({ description: "Name of the playtester." }),
    batchId: id().nullable().meta({ description: "Batch it belongs to; null if it was recorded by itself." }),
    reference: z.string().nullable().meta({ description: "What identifies it in files of banks and of PayPal." }),
    method: z.enum(payoutMethods).nullable(),
    masked: z.string().nullable().meta({ description: "Where it was made to, masked." }),
    amountCents: cents(),
    status: z.enum(payoutStatuses),
    createdAt: timestamp(),
    completedAt: timestamp().nullable(),
    failedAt: timestamp().nullable(),
    failure: z.string().nullable().meta({ description: "Why it failed, if that is known." }),
  })
  .meta({ id: "Payout" });

const totals = z.strictObject({
  playtesters: z.int().meta({ description: "How many are owed something." }),
  balanceCents: cents(),
  availableCents: cents(),
  heldCents: cents(),
  disputedCents: cents(),
  payablePlaytesters: z.int().meta({ description: "How many of them a batch would pay now." }),
  payableCents: cents().meta({ description: "What is available to those." }),
});

/** What playtesters are owed and what they were paid. */
export const payouts = {
  listOwed: endpoint("GET /admin/owed", {
    ...money,
    summary: "List what each playtester is owed",
    query: pageQuery(),
    list: true,
    reply: z.strictObject({
      owed: z.array(owed),
      totals: totals.nullable().meta({ description: "Of all playtesters; null on further pages." }),
    }),
  }),
  listPayouts: endpoint("GET /admin/payouts", {
    ...money,
    summary: "List payouts to playtesters",
    query: z.object({
      ...page,
      batch: id().optional().meta({ description: "Only payouts of this batch." }),
      status: z.enum(payoutStatuses).optional().meta({ description: "Only payouts in this state." }),
    }),
    list: true,
    reply: z.strictObject({ payouts: z.array(payout) }),
  }),
  createPayout: endpoint("POST /admin/payouts", {
    ...movesMoney,
    ...audited("payout.create"),
    summary: "Record a payout to a playtester",
    risk: "spend",
    body: z.strictObject({
      userId: id().meta({ description: "Playtester who was paid." }),
      amountCents: z.int().min(1).max(100_000_000).meta({ description: "Amount paid." }),
    }),
    status: 201,
    reply: z.strictObject({ payout }),
    errors: ["NOT_FOUND"],
  }),
  completePayout: endpoint("POST /admin/payouts/:id/complete", {
    ...movesMoney,
    ...audited("payout.complete"),
    summary: "Record that a pending payout was paid",
    risk: "spend",
    reply: z.strictObject({ payout }),
  }),
  failPayout: endpoint("POST /admin/payouts/:id/fail", {
    ...movesMoney,
    ...audited("payout.fail"),
    summary: "Record that a payout failed; the amount is owed again",
    risk: "spend",
    body: z
      .strictObject({ failure: readableText(200, 0).optional().meta({ description: "Why it failed, shown to the playtester." }) })
      .prefault({}),
    reply: z.strictObject({ payout }),
  }),
};
