import * as z from "zod";
import { endpoint } from "./endpoint.ts";
import { eventKinds } from "./events/kinds.ts";
import { webhookFormats } from "./events/webhook-formats.ts";
import { extension, httpUrl, id, message, pageQuery, timestamp, wholeListQuery } from "./fields.ts";
import { streamHeaders } from "./headers.ts";

const owner = { access: ["webhooks", "game_owner"] } as const;

export const webhook = z
  .strictObject({
    id: id(),
    url: z.string(),
    events: z.array(z.string()),
    format: extension(z.enum(webhookFormats)),
    isActive: z.boolean(),
    failureCount: z.int(),
    lastFailureAt: timestamp().nullable(),
    createdAt: timestamp(),
  })
  .meta({ id: "Webhook" });

export const delivery = z
  .strictObject({
    id: id(),
    event: z.string(),
    statusCode: z.int().nullable(),
    lastError: extension(z.string().nullable()).meta({
      description: "Why the last attempt failed. Null before the first one and after a delivery.",
    }),
    attemptCount: z.int(),
    deliveredAt: timestamp().nullable(),
    nextRetryAt: timestamp().nullable(),
    createdAt: timestamp(),
  })
  .meta({ id: "Delivery" });

export const event = z
  .strictObject({
    id: id(),
    event: z.string().meta({ description: "Event kind." }),
    timestamp: timestamp(),
    data: z.record(z.string(), z.unknown()),
  })
  .meta({ id: "Event" });

const urlField = httpUrl().meta({ description: "Public HTTPS URL that receives the events." });
const eventsField = z
  .array(z.enum([...eventKinds, "*"]))
  .min(1)
  .max(50)
  .meta({ description: "Event kinds, or `*` for all." });

const formatField = extension(z.enum(webhookFormats)).meta({
  description: "`standard` sends the event; `slack`, `discord` and `teams` send a message that the service shows.",
});

export const webhooks = {
  listWebhooks: endpoint("GET /webhooks", {
    ...owner,
    summary: "List webhooks",
    query: wholeListQuery(),
    list: true,
    reply: z.strictObject({ webhooks: z.array(webhook) }),
  }),
  createWebhook: endpoint("POST /webhooks", {
    ...owner,
    refusesBudgeted: true,
    summary: "Create a webhook (its secret is shown once)",
    body: z.strictObject({ url: urlField, events: eventsField, format: formatField.optional() }),
    status: 201,
    reply: z.strictObject({ webhook, secret: z.string() }),
    secretReply: true,
  }),
  updateWebhook: endpoint("PATCH /webhooks/:id", {
    ...owner,
    refusesBudgeted: true,
    summary: "Change a webhook's address or events",
    body: z
      .strictObject({
        url: urlField.optional(),
        events: eventsField.optional(),
        format: formatField.optional(),
      })
      .prefault({}),
    reply: z.strictObject({ webhook }),
  }),
  deleteWebhook: endpoint("DELETE /webhooks/:id", {
    ...owner,
    refusesBudgeted: true,
    summary: "Delete a webhook permanently",
    risk: "destroy",
    reply: message(),
  }),
  listDeliveries: endpoint("GET /webhooks/:id/deliveries", {
    ...owner,
    summary: "List the deliveries of a webhook",
    query: pageQuery(),
    list: true,
    reply: z.strictObject({ deliveries: z.array(delivery) }),
  }),
  redeliver: endpoint("POST /webhooks/:id/deliveries/:deliveryId/redeliver", {
    ...owner,
    extension: true,
    summary: "Redeliver an event",
    reply: z.strictObject({ delivery }),
  }),
  redeliverSince: endpoint("POST /webhooks/:id/redeliver", {
    ...owner,
    extension: true,
    summary: "Redeliver the events since a time",
    body: z.strictObject({
      since: timestamp().meta({ description: "Redeliver events from this time on." }),
      onlyUndelivered: z.boolean().default(false).meta({ description: "Only events that were not delivered yet." }),
    }),
    reply: z.strictObject({ count: z.int().meta({ description: "Number of deliveries queued." }) }),
  }),
  testWebhook: endpoint("POST /webhooks/:id/test", {
    ...owner,
    summary: "Send a test.ping event",
    reply: z.strictObject({
      success: z.boolean(),
      delivery: delivery.pick({
        id: true,
        statusCode: true,
        lastError: true,
        deliveredAt: true,
      }),
    }),
  }),
  enableWebhook: endpoint("POST /webhooks/:id/enable", {
    ...owner,
    refusesBudgeted: true,
    summary: "Enable a disabled webhook",
    reply: z.strictObject({ message: z.string(), isActive: z.boolean() }),
  }),
  rotateWebhookSecret: endpoint("POST /webhooks/:id/rotate-secret", {
    ...owner,
    refusesBudgeted: true,
    summary: "Replace the signing secret; the old one stops working at once",
    risk: "destroy",
    reply: z.strictObject({ secret: z.string(), message: z.string() }),
    secretReply: true,
  }),
  listEvents: endpoint("GET /events", {
    access: "main",
    extension: true,
    summary: "List events, or stream them live",
    media: "events",
    query: pageQuery(),
    list: true,
    reply: z.strictObject({ events: z.array(event) }),
    headers: streamHeaders,
  }),
};
