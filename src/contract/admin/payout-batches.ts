import * as z from "zod";
import { payoutMethods } from "../accounts/payout-methods.ts";
import { audited, endpoint, KiB } from "../endpoint.ts";
import { cents, id, pageQuery, readableText, timestamp } from "../fields.ts";

const money = { access: ["money"], extension: true } as const;
const movesMoney = { ...money, confirmed: true } as const;

const method = () => z.enum(payoutMethods);
const counted = z.strictObject({ payouts: z.int(), amountCents: cents() });

export const payoutBatch = z
  .strictObject({
    id: id(),
    createdBy: id(),
    createdByName: z.string(),
    method: method().nullable().meta({ description: "Only method in it; null if it may have several." }),
    minCents: cents().meta({ description: "Who was owed less is not in it." }),
    createdAt: timestamp(),
    total: counted,
    pending: counted,
    completed: counted,
    failed: counted,
  })
  .meta({ id: "PayoutBatch" });

export const payment = z
  .strictObject({
    payoutId: id(),
    reference: z.string(),
    amountCents: cents(),
    currency: z.literal("USD"),
    method: method(),
    holder: z.string().nullable(),
    iban: z.string().nullable(),
    accountNumber: z.string().nullable(),
    routingNumber: z.string().nullable(),
    email: z.string().nullable(),
    instructions: z.string().nullable(),
    address: z.string().nullable(),
    country: z.string().nullable(),
    taxNumber: z.string().nullable(),
  })
  .meta({ id: "PayoutInstruction" });

/** What became of a row of a returned file. */
export const settleOutcomes = [
  "paid",
  "failed",
  "already_paid",
  "already_failed",
  "failed_before",
  "amount_differs",
  "repeated",
  "unknown",
] as const;

const returnedRow = z.strictObject({
  reference: readableText(100).meta({ description: "Reference or id of the payout." }),
  status: z.enum(["paid", "failed"]),
  amountCents: z.int().optional().meta({ description: "Amount in the file, to be compared." }),
  failure: readableText(200, 0).optional().meta({ description: "Why it failed, shown to the playtester." }),
});

const batchReply = z.strictObject({ batch: payoutBatch });

/** Payouts that are made together: one for each playtester who can be paid. */
export const payoutBatches = {
  listPayoutBatches: endpoint("GET /admin/payout-batches", {
    ...money,
    summary: "List batches of payouts",
    query: pageQuery(),
    list: true,
    reply: z.strictObject({ batches: z.array(payoutBatch) }),
  }),
  getPayoutBatch: endpoint("GET /admin/payout-batches/:id", {
    ...money,
    summary: "Show a batch of payouts",
    reply: batchReply,
  }),
  createPayoutBatch: endpoint("POST /admin/payout-batches", {
    ...movesMoney,
    ...audited("payout_batch.create", "method", "minCents"),
    summary: "Make a pending payout to each playtester who can be paid",
    risk: "spend",
    body: z
      .strictObject({
        method: method().optional().meta({ description: "Only playtesters with this payout method; default all." }),
        minCents: z
          .int()
          .min(1)
          .max(100_000_000)
          .default(1)
          .meta({ description: "Only playtesters with at least this much available." }),
      })
      .prefault({}),
    status: 201,
    reply: z.strictObject({
      batch: payoutBatch,
      skipped: z
        .strictObject({
          noDetails: z.int(),
          newDetails: z.int(),
          suspended: z.int(),
          otherMethod: z.int(),
          belowMinimum: z.int(),
        })
        .meta({ description: "How many playtesters who are owed something are not in it, and why." }),
    }),
  }),
  readPayoutInstructions: endpoint("POST /admin/payout-batches/:id/instructions", {
    ...movesMoney,
    ...audited("payout_batch.read_instructions", "method"),
    summary: "Get the payout details of the pending payouts of a batch",
    body: z.strictObject({ method: method().meta({ description: "Method of the payouts." }) }),
    reply: z.strictObject({ payments: z.array(payment) }),
    secretReply: true,
  }),
  settlePayoutBatch: endpoint("POST /admin/payout-batches/:id/settle", {
    ...movesMoney,
    ...audited("payout_batch.settle"),
    summary: "Record which payouts of a batch were paid and which failed",
    risk: "spend",
    body: z.strictObject({
      rows: z.array(returnedRow).min(1).max(500).meta({ description: "What became of payouts of the batch." }),
    }),
    maxBodyBytes: 1024 * KiB,
    reply: z.strictObject({
      batch: payoutBatch,
      results: z.array(
        z.strictObject({
          reference: z.string(),
          payoutId: id().nullable(),
          outcome: z.enum(settleOutcomes).meta({
            description:
              "`paid` or `failed`: recorded now. `already_paid` or `already_failed`: recorded before. The others changed nothing: `failed_before` is reported as paid but had failed, `amount_differs`, `repeated` in the same request, `unknown` in this batch.",
          }),
        }),
      ),
    }),
  }),
};
