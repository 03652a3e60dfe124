import { z } from "zod";
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
  outcome: z.enum(["paid", "declined", "cancelled", "disputed"]).meta({ description: "What happens at the checkout." }),
});

export const mail = z
  .strictObject({
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
    summary: "Move the clock forward and run what falls due",
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
    summary: "Do what a person would do at a payment's checkout",
    body: checkoutBody,
    reply: z.strictObject({ payment }),
    problems: ["CONFLICT"],
  }),
  completeSubscription: endpoint("POST /sandbox/subscriptions/:id/complete", {
    ...keyless,
    summary: "Do what a person would do at a subscription's checkout",
    body: checkoutBody,
    reply: z.strictObject({ subscription }),
    problems: ["CONFLICT"],
  }),
  setRenewals: endpoint("POST /sandbox/subscriptions/:id/renewals", {
    ...keyless,
    summary: "Decide how the next renewals go",
    body: z.strictObject({
      outcome: z.enum(["paid", "failed"]).meta({ description: "What the next renewals do." }),
    }),
    reply: z.strictObject({ subscription }),
    problems: ["CONFLICT"],
  }),
  createTransaction: endpoint("POST /sandbox/chain/transactions", {
    ...keyless,
    summary: "Make a transaction on the sandbox chain",
    body: z.strictObject({
      chain: z.enum(chains).meta({ description: "Chain it is on." }),
      currency: z.enum(currencies).meta({ description: "Currency it moves." }),
      to: text(200, 1).meta({ description: "Address that receives it." }),
      amount: z
        .string()
        .regex(/^\d{1,78}$/, "must be a whole number in smallest units, as text")
        .meta({ description: "Amount in smallest units, as text." }),
      confirmations: z.int().min(0).max(1_000_000).optional().meta({ description: "Confirmations so far; default final." }),
      status: z.enum(["success", "reverted"]).default("success").meta({ description: "Whether it succeeded." }),
    }),
    reply: z.strictObject({ txHash: z.string() }),
  }),
  listOutbox: endpoint("GET /sandbox/outbox", {
    ...keyless,
    summary: "List the mail the server sent",
    query: wholeListQuery(),
    list: true,
    reply: z.strictObject({ messages: z.array(mail) }),
  }),
  createTesters: endpoint("POST /sandbox/testers", {
    ...keyless,
    summary: "Make simulated playtesters",
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
        testerId: id().optional().meta({ description: "Playtester to use; default one that may." }),
      })
      .prefault({}),
    reply: z.strictObject({ slot: slotDetail }),
    problems: ["CONFLICT"],
  }),
  emitEvent: endpoint("POST /sandbox/events", {
    ...keyless,
    access: ["game_owner"],
    summary: "Emit an event to your own webhooks",
    body: z.strictObject({
      event: z.enum(eventKinds).meta({ description: "Event kind." }),
      data: z.record(z.string(), z.unknown()).optional().meta({ description: "Data of the event; default an example." }),
    }),
    reply: z.strictObject({ event }),
  }),
};
