import { deliveryMoves } from "../../../src/contract/states/index.ts";
import { type MoveFrom, type MoveOf, targetOf } from "../../../src/contract/states/moves.ts";
import type { Page } from "../../database/keyset.ts";
import type { Query } from "../../database/port.ts";
import { findRow, findRows, insertRow, insertRows, listRows, updateRow } from "../../database/rows.ts";
import type { New, Tables } from "../../database/schema/index.ts";
import { stateMachine } from "../../database/state-machine.ts";

export type WebhookRow = Tables["webhooks"];

export type DeliveryRow = Tables["webhook_deliveries"];

/** The data that one attempt needs besides its webhook. */
export type OutgoingRow = Pick<DeliveryRow, "id" | "webhook_id" | "event_id" | "event" | "trace"> & {
  data: string;
  happened_at: number;
};

export type AttemptRow = Tables["webhook_attempts"];

export const insert = (tx: Query, webhook: New<"webhooks">) => insertRow(tx, "webhooks", webhook);
export const update = (tx: Query, id: string, changes: Partial<WebhookRow>) => updateRow(tx, "webhooks", id, changes);

/** Empties the address, which may be a secret. Retention removes the row with its deliveries: there may be many. */
export const markDeleted = (tx: Query, id: string, now: number) =>
  updateRow(tx, "webhooks", id, { url: "", is_active: 0, deleted_at: now });

export const find = (q: Query, id: string) => findRow(q, "webhooks", { id });

export const findForOwner = (q: Query, id: string, ownerId: string) =>
  findRow(q, "webhooks", { id, owner_id: ownerId, deleted_at: null });

export const listForOwner = (q: Query, ownerId: string, page: Page) =>
  listRows(q, "webhooks", page, { owner_id: ownerId, deleted_at: null });

export const allOfOwner = (q: Query, ownerId: string) =>
  findRows(q, "webhooks", { owner_id: ownerId, deleted_at: null }, "created_at", "id");

export const insertDelivery = (tx: Query, delivery: New<"webhook_deliveries">) => insertRow(tx, "webhook_deliveries", delivery);
export const updateDelivery = (tx: Query, id: string, changes: Partial<Omit<DeliveryRow, "state">>) =>
  updateRow(tx, "webhook_deliveries", id, changes);

export const {
  isIn: isDeliveryIn,
  transition: transitionDelivery,
  transitionFromAny: transitionDeliveryFromAny,
} = stateMachine({ noun: "delivery", table: "webhook_deliveries", column: "state", moves: deliveryMoves });

/** Inserts attempts, except of deliveries that were removed with their account while they were on their way. */
export async function insertAttempts(tx: Query, attempts: readonly AttemptRow[]): Promise<void> {
  const ids = attempts.map(({ delivery_id }) => delivery_id);
  if (ids.length === 0) return;
  const kept = await tx.all<{ id: string }>(`SELECT id FROM webhook_deliveries WHERE id IN (${marks(ids)})`, ...ids);
  const isKept = new Set(kept.map(({ id }) => id));
  const rows = attempts.filter(({ delivery_id }) => isKept.has(delivery_id));
  if (rows.length > 0) await insertRows(tx, "webhook_attempts", rows);
}

export const deliveryOf = (q: Query, id: string) => findRow(q, "webhook_deliveries", { id });

export const findDelivery = (q: Query, webhookId: string, id: string) =>
  findRow(q, "webhook_deliveries", { id, webhook_id: webhookId });

export const listDeliveries = (q: Query, webhookId: string, page: Page) =>
  listRows(q, "webhook_deliveries", page, { webhook_id: webhookId });

/** Deliveries to this host that are due, the earliest due first. */
export const dueForHost = (q: Query, host: string, now: number, limit: number) =>
  q.all<OutgoingRow>(
    `SELECT d.id, d.webhook_id, d.event_id, d.event, d.trace, e.data, e.created_at AS happened_at
       FROM webhook_deliveries d JOIN events e ON e.id = d.event_id
      WHERE d.host = ? AND d.state = 'pending' AND d.next_retry_at <= ? ORDER BY d.next_retry_at, d.id LIMIT CAST(? AS INTEGER)`,
    host,
    now,
    limit,
  );

/** When the next delivery to this host is due; null when none is pending. */
export const nextForHost = async (q: Query, host: string) =>
  (
    await q.one<{ at: number | null }>(
      "SELECT MIN(next_retry_at) AS at FROM webhook_deliveries WHERE host = ? AND state = 'pending'",
      host,
    )
  )?.at ?? null;

const marks = (values: readonly unknown[]) => values.map(() => "?").join(", ");

/** Records one more, successful attempt for each of these deliveries. Does not change those that were cancelled or have failed meanwhile. */
export const markDelivered = (tx: Query, ids: readonly string[], statusCode: number | null, now: number) =>
  tx.run(
    `UPDATE webhook_deliveries
        SET state = 'delivered', attempt_count = attempt_count + 1, status_code = ?, last_error = NULL, delivered_at = ?, next_retry_at = NULL
      WHERE id IN (${marks(ids)}) AND state IN ('pending', 'paused')`,
    statusCode,
    now,
    ...ids,
  );

export const clearFailures = (tx: Query, webhookIds: readonly string[]) =>
  tx.run(`UPDATE webhooks SET failure_count = 0 WHERE id IN (${marks(webhookIds)}) AND failure_count <> 0`, ...webhookIds);

/** Counts one more failure and returns the webhook. Undefined when it is disabled or deleted already. */
export const countFailure = (tx: Query, webhookId: string, now: number) =>
  tx.one<WebhookRow>(
    `UPDATE webhooks SET failure_count = failure_count + 1, last_failure_at = ?
      WHERE id = ? AND is_active = 1 AND deleted_at IS NULL RETURNING *`,
    now,
    webhookId,
  );

/** States of deliveries that may still be sent. */
type Unsent = "pending" | "paused" | "held";

/** Makes a move with all deliveries of a webhook that are in state `from`. They are sent at `nextRetryAt`, or not at all when it is null. */
export const moveDeliveries = <
  From extends Unsent,
  Move extends MoveOf<typeof deliveryMoves> & MoveFrom<typeof deliveryMoves, From>,
>(
  tx: Query,
  webhookId: string,
  from: From,
  move: Move,
  nextRetryAt: number | null = null,
) =>
  tx.run(
    // The state is part of the SQL text, so that both databases use the partial index on unsent deliveries.
    `UPDATE webhook_deliveries SET state = ?, next_retry_at = ? WHERE webhook_id = ? AND state = '${from}'`,
    targetOf(deliveryMoves, move),
    nextRetryAt,
    webhookId,
  );

/** Changes the host of the webhook's unsent deliveries, after its URL changed. */
export const moveHost = (tx: Query, webhookId: string, host: string) =>
  tx.run(
    "UPDATE webhook_deliveries SET host = ? WHERE webhook_id = ? AND state IN ('pending', 'paused', 'held')",
    host,
    webhookId,
  );

/** Requeues the deliveries of events since a time (ms), except test events. Returns how many. */
export const requeueSince = (
  tx: Query,
  webhook: WebhookRow,
  { since, onlyUndelivered, now }: { since: number; onlyUndelivered: boolean; now: number },
) =>
  tx.run(
    `UPDATE webhook_deliveries SET state = 'pending', host = ?, next_retry_at = ?, round_start = attempt_count
      WHERE webhook_id = ? AND created_at >= ? AND state <> 'test' AND event <> 'test.ping'${onlyUndelivered ? " AND state <> 'delivered'" : ""}`,
    webhook.host,
    now,
    webhook.id,
    since,
  );
