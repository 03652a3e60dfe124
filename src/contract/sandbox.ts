import * as z from "zod";
import { payment, subscription } from "./billing.ts";
import { endpoint } from "./endpoint.ts";
import { eventKinds } from "./events/kinds.ts";
import { id, text, timestamp, wholeListQuery } from "./fields.ts";
import { chains, currencies } from "./headers.ts";
import { playtester, slotDetail } from "./slots.ts";
import { event } from "./webhooks.ts";

const keyless = { access: "none", extension: true, only: "sandbox" } as const;
const days = 86_400;

const checkoutBody = z.strictObject({
  outcome: z.enum(["paid", "declined", "cancelled", "disputed"]).meta({ description: "Outcome of the checkout." }),
});

export const mail = z
  .strictObject({
    id: id(),
    to: z.string(),
    subject: z.string(),
    text: z.string(),
    html: z.string().nullable(),
    createdAt: timestamp(),
  })
  .meta({ id: "Mail" });

export const sandbox = {
  getClock: endpoint("GET /sandbox/clock", {
    ...keyless,
    summary: "Show the sandbox clock",
    reply: z.strictObject({ now: timestamp() }),
  }),
  advanceClock: endpoint("POST /sandbox/clock/advance", {
    ...keyless,
    summary: "Move the sandbox clock forward and run the jobs that become due",
    body: z.strictObject({
      seconds: z
        .int()
        .min(0)
        .max(400 * days)
        .meta({ description: "Seconds to move forward." }),
    }),
    reply: z.strictObject({
      now: timestamp(),
      ran: z.int().meta({ description: "Jobs that ran." }),
    }),
  }),
  completePayment: endpoint("POST /sandbox/payments/:id/complete", {
    ...keyless,
    summary: "Simulate the outcome of a payment's checkout",
    body: checkoutBody,
    reply: z.strictObject({ payment }),
    errors: ["CONFLICT"],
  }),
  completeSubscription: endpoint("POST /sandbox/subscriptions/:id/complete", {
    ...keyless,
    summary: "Simulate the outcome of a subscription's checkout",
    body: checkoutBody,
    reply: z.strictObject({ subscription }),
    errors: ["CONFLICT"],
  }),
  setRenewals: endpoint("POST /sandbox/subscriptions/:id/renewals", {
    ...keyless,
    summary: "Set the outcome of the next renewals",
    body: z.strictObject({
      outcome: z.enum(["paid", "failed"]).meta({ description: "Outcome of the next renewals." }),
    }),
    reply: z.strictObject({ subscription }),
    errors: ["CONFLICT"],
  }),
  createTransaction: endpoint("POST /sandbox/chain/transactions", {
    ...keyless,
    summary: "Create a transaction on the sandbox chain",
    body: z.strictObject({
      chain: z.enum(chains).meta({ description: "Chain of the transaction." }),
      currency: z.enum(currencies).meta({ description: "Currency to transfer." }),
      to: text(200, 1).meta({ description: "Receiving address." }),
      amount: z
        .string()
        .regex(/^\d{1,78}$/, "must be a whole number in the smallest unit, as a string")
        .meta({ maxLength: 78, description: "Amount in the smallest unit of the currency, as a string." }),
      from: text(64, 1).optional().meta({ description: "Address that sends it; default: not known." }),
      nonce: z
        .string()
        .regex(/^0x[0-9a-fA-F]{64}$/, "must be 32 bytes in hexadecimal digits")
        .optional()
        .meta({ maxLength: 66, description: "Nonce of the signed payment that it settles." }),
      confirmations: z
        .int()
        .min(0)
        .max(1_000_000)
        .optional()
        .meta({ description: "Number of confirmations; default enough to be final." }),
      status: z.enum(["success", "reverted"]).default("success").meta({ description: "Whether the transaction succeeded." }),
    }),
    reply: z.strictObject({ txHash: z.string() }),
    errors: ["CONFLICT"],
  }),
  listOutbox: endpoint("GET /sandbox/outbox", {
    ...keyless,
    summary: "List the emails the server sent",
    query: wholeListQuery(),
    list: true,
    reply: z.strictObject({ messages: z.array(mail) }),
  }),
  createTesters: endpoint("POST /sandbox/testers", {
    ...keyless,
    summary: "Create simulated playtesters",
    body: z
      .strictObject({
        count: z.int().min(1).max(100).default(1).meta({ description: "Number of playtesters." }),
      })
      .prefault({}),
    status: 201,
    reply: z.strictObject({
      testers: z.array(playtester.extend({ apiKey: z.string() })),
    }),
    secretReply: true,
  }),
  playSlot: endpoint("POST /sandbox/slots/:id/play", {
    ...keyless,
    summary: "Let a simulated playtester claim, play and submit a slot",
    body: z
      .strictObject({
        testerId: id().optional().meta({ description: "Playtester to use; default any that is eligible." }),
        tester: text(254, 1).optional().meta({ description: "The same by email address, or by a name that only one has." }),
      })
      .prefault({}),
    reply: z.strictObject({ slot: slotDetail }),
    errors: ["CONFLICT"],
  }),
  emitEvent: endpoint("POST /sandbox/events", {
    ...keyless,
    access: ["game_owner"],
    summary: "Send an event to your own webhooks",
    body: z.strictObject({
      event: z.enum(eventKinds).meta({ description: "Event kind." }),
      data: z.record(z.string(), z.unknown()).optional().meta({ description: "Data of the event; default example data." }),
    }),
    reply: z.strictObject({ event }),
  }),
};
