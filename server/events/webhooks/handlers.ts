import type { Deps } from "../../app/deps.ts";
import type { Tx } from "../../app/tx.ts";
import type { Query } from "../../database/port.ts";
import type { Handlers } from "../../http/call.ts";
import { conflict, invalid, notFound } from "../../lib/api-error.ts";
import { iso, isoOrNull } from "../../lib/time.ts";
import { AddressRefused } from "../../outbound/index.ts";
import { newDelivery, record, scheduleDeliveries } from "../emit.ts";
import { attempt, openSecret, recordTestAttempt, secretContext } from "./deliveries.ts";
import { newSecret } from "./signature.ts";
import * as webhookStore from "./store.ts";

const disabled = () => conflict("The webhook is disabled. Nothing was sent. Enable it first.");

const webhookView = (row: webhookStore.WebhookRow) => ({
  id: row.id,
  url: row.url,
  events: JSON.parse(row.events) as string[],
  format: row.format,
  isActive: row.is_active === 1,
  failureCount: row.failure_count,
  lastFailureAt: isoOrNull(row.last_failure_at),
  createdAt: iso(row.created_at),
});

const deliveryView = (row: webhookStore.DeliveryRow) => ({
  id: row.id,
  event: row.event,
  statusCode: row.status_code,
  lastError: row.last_error,
  attemptCount: row.attempt_count,
  deliveredAt: isoOrNull(row.delivered_at),
  nextRetryAt: isoOrNull(row.next_retry_at),
  createdAt: iso(row.created_at),
});

async function find(q: Query, id: string, ownerId: string) {
  const found = await webhookStore.findForOwner(q, id, ownerId);
  if (!found) throw notFound();
  return found;
}

/** 422 for a URL to which deliveries would refuse to connect. */
async function checkUrl(deps: Deps, url: string): Promise<void> {
  try {
    await deps.outbound.check(url);
  } catch (error) {
    if (error instanceof AddressRefused) throw invalid("url", error.message);
    throw error;
  }
}

async function insertPing(tx: Tx, webhook: webhookStore.WebhookRow) {
  const occurrence = { kind: "test.ping", data: { webhookId: webhook.id }, notice: { url: webhook.url } } as const;
  const [event] = await record(tx, [{ id: webhook.owner_id, role: "game_owner" }], occurrence);
  const ping = await webhookStore.insertDelivery(tx, newDelivery(tx, webhook, event!, "test", null));
  return { ...ping, data: event!.data, happened_at: event!.created_at };
}

const sealed = (deps: Deps, webhookId: string, secret: string) => deps.secrets.seal(secret, secretContext(webhookId));

export const webhooks = {
  async listWebhooks(call) {
    const page = call.page();
    const rows = await call.read((q) => webhookStore.listForOwner(q, call.principal.userId, page));
    return call.listed(page, rows, (items) => ({ webhooks: items.map(webhookView) }));
  },

  async createWebhook(call) {
    const { url, events, format = "standard" } = call.body;
    await checkUrl(call.deps, url);
    const id = call.deps.newId();
    const secret = newSecret(call.deps.randomBytes(32));
    const secretSealed = sealed(call.deps, id, secret);
    return call.commit(async (tx) => {
      const ownerId = call.principal.userId;
      const most = tx.config.webhooks.maxPerAccount;
      if ((await webhookStore.allOfOwner(tx, ownerId)).length >= most)
        throw conflict(`An account can have at most ${most} webhooks. Nothing was created. Delete one first.`);
      const row = await webhookStore.insert(tx, {
        id,
        owner_id: ownerId,
        url,
        host: new URL(url).host,
        events: JSON.stringify([...new Set(events)]),
        format,
        secret: secretSealed,
        is_active: 1,
        failure_count: 0,
        created_at: tx.now,
      });
      return { webhook: webhookView(row), secret };
    });
  },

  async updateWebhook(call) {
    const { url, events, format } = call.body;
    if (url !== undefined) await checkUrl(call.deps, url);
    return call.commit(async (tx) => {
      const row = await find(tx, call.params.id, call.principal.userId);
      const changes: Partial<webhookStore.WebhookRow> = {};
      if (url !== undefined) Object.assign(changes, { url, host: new URL(url).host });
      if (events !== undefined) changes.events = JSON.stringify([...new Set(events)]);
      if (format !== undefined) changes.format = format;
      if (Object.keys(changes).length > 0) await webhookStore.update(tx, row.id, changes);
      if (changes.host !== undefined) {
        await webhookStore.moveHost(tx, row.id, changes.host);
        await scheduleDeliveries(tx, changes.host, tx.now);
      }
      return { webhook: webhookView({ ...row, ...changes }) };
    });
  },

  deleteWebhook: (call) =>
    call.commit(async (tx) => {
      const row = await find(tx, call.params.id, call.principal.userId);
      await webhookStore.markDeleted(tx, row.id, tx.now);
      for (const state of ["pending", "paused", "held"] as const) await webhookStore.moveDeliveries(tx, row.id, state, "cancel");
      return { message: "The webhook was deleted. Pending deliveries will not be sent." };
    }),

  async listDeliveries(call) {
    const page = call.page();
    const rows = await call.read(async (q) => {
      const { id } = await find(q, call.params.id, call.principal.userId);
      return webhookStore.listDeliveries(q, id, page);
    });
    return call.listed(page, rows, (items) => ({ deliveries: items.map(deliveryView) }));
  },

  redeliver: (call) =>
    call.commit(async (tx) => {
      const webhook = await find(tx, call.params.id, call.principal.userId);
      const delivery = await webhookStore.findDelivery(tx, webhook.id, call.params.deliveryId);
      if (!delivery) throw notFound();
      if (webhook.is_active === 0) throw disabled();
      const now = tx.now;
      const { host } = webhook;
      const changes = { host, next_retry_at: now, round_start: delivery.attempt_count };
      await webhookStore.transitionDeliveryFromAny(tx, delivery, "redeliver", changes);
      await scheduleDeliveries(tx, host, now);
      return { delivery: deliveryView({ ...delivery, ...changes }) };
    }),

  redeliverSince: (call) =>
    call.commit(async (tx) => {
      const webhook = await find(tx, call.params.id, call.principal.userId);
      if (webhook.is_active === 0) throw disabled();
      const { since, onlyUndelivered } = call.body;
      const now = tx.now;
      const count = await webhookStore.requeueSince(tx, webhook, { since: Date.parse(since), onlyUndelivered, now });
      if (count > 0) await scheduleDeliveries(tx, webhook.host, now);
      return { count };
    }),

  /** Sends a test event at once and returns the result. Also works for a disabled webhook and for one that subscribes to other events. */
  async testWebhook(call) {
    const webhook = await call.read((q) => find(q, call.params.id, call.principal.userId));
    return call.deps.inFlight.test(webhook.host, async () => {
      const delivery = await call.deps.store.write((tx) => insertPing(tx, webhook));
      const outcome = await attempt(call.deps, delivery, webhook, openSecret(call.deps, webhook));
      return call.commit(async (tx) => {
        const { id, statusCode, lastError, deliveredAt } = deliveryView(await recordTestAttempt(tx, delivery, outcome));
        return { success: outcome.succeeded, delivery: { id, statusCode, lastError, deliveredAt } };
      });
    });
  },

  enableWebhook: (call) =>
    call.commit(async (tx) => {
      const row = await find(tx, call.params.id, call.principal.userId);
      const now = tx.now;
      await webhookStore.update(tx, row.id, { is_active: 1, failure_count: 0, disabled_at: null });
      await webhookStore.moveDeliveries(tx, row.id, "paused", "resume", now);
      await scheduleDeliveries(tx, row.host, now);
      return {
        message:
          "The webhook was enabled. Pending deliveries resume. Events that occurred while it was disabled can be redelivered.",
        isActive: true,
      };
    }),

  async rotateWebhookSecret(call) {
    const secret = newSecret(call.deps.randomBytes(32));
    return call.commit(async (tx) => {
      const row = await find(tx, call.params.id, call.principal.userId);
      await webhookStore.update(tx, row.id, { secret: sealed(call.deps, row.id, secret) });
      return { secret, message: "The signing secret was replaced. The old secret is no longer valid." };
    });
  },
} satisfies Partial<Handlers>;
