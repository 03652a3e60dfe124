import type { EventKind } from "../../src/contract/events.ts";
import type { Query } from "./db.ts";
import { keyset, type Page } from "./keyset.ts";
import { insertRow, updateRow } from "./rows.ts";

export interface WebhookRow {
  id: string;
  owner_id: string;
  url: string;
  /** Host and port of the URL: what bounds how many deliveries are in flight. */
  host: string;
  events: string;
  secret: string;
  is_active: number;
  failure_count: number;
  last_failure_at: number | null;
  disabled_at: number | null;
  created_at: number;
  deleted_at: number | null;
}

/**
 * `pending` waits for `next_retry_at`; `paused` was pending when its webhook was disabled and goes on when that is enabled;
 * `held` was recorded while the webhook was disabled and waits to be redelivered; `test` is a ping, tried once; `failed` had its
 * last attempt; `cancelled` lost its webhook.
 */
export type DeliveryState = "pending" | "paused" | "held" | "test" | "delivered" | "failed" | "cancelled";

export interface DeliveryRow {
  id: string;
  webhook_id: string;
  event_id: string;
  event: EventKind;
  state: DeliveryState;
  status_code: number | null;
  attempt_count: number;
  /** Attempts made before the retry schedule last started anew, by a redelivery. */
  round_start: number;
  delivered_at: number | null;
  next_retry_at: number | null;
  last_error: string | null;
  created_at: number;
}

/** All that one attempt needs. */
export interface OutgoingRow extends DeliveryRow {
  url: string;
  secret: string;
  is_active: number;
  deleted_at: number | null;
  data: string;
  happened_at: number;
}

export interface AttemptRow {
  id: string;
  delivery_id: string;
  status_code: number | null;
  error: string | null;
  duration_ms: number;
  response: string | null;
  created_at: number;
}

export const insert = (tx: Query, webhook: WebhookRow) => insertRow(tx, "webhooks", webhook);
export const update = (tx: Query, id: string, changes: Partial<WebhookRow>) => updateRow(tx, "webhooks", id, changes);

export const findForOwner = (q: Query, id: string, ownerId: string) =>
  q.one<WebhookRow>("SELECT * FROM webhooks WHERE id = ? AND owner_id = ? AND deleted_at IS NULL", id, ownerId);

export function listForOwner(q: Query, ownerId: string, page: Page) {
  const { sql, values } = keyset(page, "w");
  return q.all<WebhookRow>(`SELECT w.* FROM webhooks w WHERE w.owner_id = ? AND w.deleted_at IS NULL ${sql}`, ownerId, ...values);
}

export const allOfOwner = (q: Query, ownerId: string) =>
  q.all<WebhookRow>("SELECT * FROM webhooks WHERE owner_id = ? AND deleted_at IS NULL", ownerId);

export const insertDelivery = (tx: Query, delivery: DeliveryRow) => insertRow(tx, "webhook_deliveries", delivery);
export const updateDelivery = (tx: Query, id: string, changes: Partial<DeliveryRow>) =>
  updateRow(tx, "webhook_deliveries", id, changes);
export const insertAttempt = (tx: Query, attempt: AttemptRow) => insertRow(tx, "webhook_attempts", attempt);

export const findDelivery = (q: Query, webhookId: string, id: string) =>
  q.one<DeliveryRow>("SELECT * FROM webhook_deliveries WHERE id = ? AND webhook_id = ?", id, webhookId);

export function listDeliveries(q: Query, webhookId: string, page: Page) {
  const { sql, values } = keyset(page, "d");
  return q.all<DeliveryRow>(`SELECT d.* FROM webhook_deliveries d WHERE d.webhook_id = ? ${sql}`, webhookId, ...values);
}

export const findOutgoing = (q: Query, deliveryId: string) =>
  q.one<OutgoingRow>(
    `SELECT d.*, w.url, w.secret, w.is_active, w.deleted_at, e.data, e.created_at AS happened_at
       FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id JOIN events e ON e.id = d.event_id WHERE d.id = ?`,
    deliveryId,
  );

/** Deliveries to this host that are due, the longest waiting first. */
export const dueForHost = (q: Query, host: string, now: number, limit: number) =>
  q.all<{ id: string }>(
    `SELECT d.id FROM webhooks w JOIN webhook_deliveries d ON d.webhook_id = w.id
      WHERE w.host = ? AND w.is_active = 1 AND w.deleted_at IS NULL AND d.state = 'pending' AND d.next_retry_at <= ?
      ORDER BY d.next_retry_at, d.id LIMIT ?`,
    host,
    now,
    limit,
  );

/** When the next delivery to this host is due; null when none waits. */
export const nextForHost = async (q: Query, host: string) =>
  (
    await q.one<{ at: number | null }>(
      `SELECT MIN(d.next_retry_at) AS at FROM webhooks w JOIN webhook_deliveries d ON d.webhook_id = w.id
        WHERE w.host = ? AND w.is_active = 1 AND w.deleted_at IS NULL AND d.state = 'pending'`,
      host,
    )
  )?.at ?? null;

export const clearFailures = (tx: Query, webhookId: string) =>
  tx.run("UPDATE webhooks SET failure_count = 0 WHERE id = ? AND failure_count <> 0", webhookId);

/** The webhook after one more failure; undefined when it is disabled or deleted already. */
export const countFailure = (tx: Query, webhookId: string, now: number) =>
  tx.one<WebhookRow>(
    `UPDATE webhooks SET failure_count = failure_count + 1, last_failure_at = ?
      WHERE id = ? AND is_active = 1 AND deleted_at IS NULL RETURNING *`,
    now,
    webhookId,
  );

/** Moves all deliveries of a webhook that are in one state to another, to be tried at `nextRetryAt` or not at all. */
export const moveDeliveries = (
  tx: Query,
  webhookId: string,
  from: DeliveryState,
  to: DeliveryState,
  nextRetryAt: number | null = null,
) =>
  tx.run(
    "UPDATE webhook_deliveries SET state = ?, next_retry_at = ? WHERE webhook_id = ? AND state = ?",
    to,
    nextRetryAt,
    webhookId,
    from,
  );
