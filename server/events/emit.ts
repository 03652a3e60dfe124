import type { Role } from "../../src/contract/endpoint.ts";
import type { EventKind } from "../../src/contract/events/kinds.ts";
import type { EventData } from "../../src/contract/events/payloads.ts";
import type { DeliveryStatus } from "../../src/contract/states/index.ts";
import type { Context, Tx } from "../app/tx.ts";
import type { New } from "../database/schema/index.ts";
import type { NoticeContext } from "./notice-context.ts";
import { noticeOf, withoutNames } from "./notices.ts";
import * as notifications from "./notifications-store.ts";
import type { Event } from "./store.ts";
import * as events from "./store.ts";
import * as webhooks from "./webhooks/store.ts";

export interface Occurrence<Kind extends EventKind = EventKind> {
  kind: Kind;
  data: EventData<Kind>;
  notice: NoticeContext;
}

export interface Recipient {
  id: string;
  role: Role;
}

/**
 * Records an event for each recipient, in the transaction that causes it: the log row, the notification and, for owners, a delivery to
 * each webhook that subscribes to this kind of event.
 */
export async function emit<Kind extends EventKind>(
  tx: Tx,
  recipients: readonly Recipient[],
  occurrence: Occurrence<Kind>,
): Promise<Event[]> {
  const recorded = await record(tx, recipients, occurrence);
  for (const [index, { id, role }] of recipients.entries())
    if (role === "game_owner") await queueDeliveries(tx, id, recorded[index]!);
  return recorded;
}

/** Records the log rows and the notifications without queuing deliveries. Returns the events in the order of the recipients. */
export async function record(tx: Tx, recipients: readonly Recipient[], { kind, data, notice }: Occurrence): Promise<Event[]> {
  if (recipients.length === 0) return [];
  const about = { kind, data: JSON.stringify(data), created_at: tx.now };
  const recorded = recipients.map(({ id }): Event => ({ id: tx.newId(), account_id: id, ...about, seq: null }));
  events.insert(tx, recorded);
  notifications.insert(
    tx,
    recorded.map((event, index) => notificationOf(tx, event, recipients[index]!, notice)),
  );
  for (const { id } of recipients) tx.wake(id);
  return recorded;
}

function notificationOf(context: Context, event: Event, { id, role }: Recipient, notice: NoticeContext): New<"notifications"> {
  const told = { ...notice, withoutPayments: !context.config.payments.enabled };
  const { title, body } = noticeOf(event.kind, role, told);
  const unnamed = noticeOf(event.kind, role, withoutNames(told)).body;
  const about = { user_id: id, event_id: event.id, type: event.kind };
  return {
    id: context.newId(),
    ...about,
    title,
    body,
    unnamed_body: unnamed === body ? null : unnamed,
    created_at: event.created_at,
  };
}

async function queueDeliveries(tx: Tx, ownerId: string, event: Event): Promise<void> {
  for (const webhook of await webhooks.allOfOwner(tx, ownerId))
    if (subscribes(webhook, event.kind)) await queueDelivery(tx, webhook, event);
}

function subscribes(webhook: webhooks.WebhookRow, kind: EventKind): boolean {
  const kinds = JSON.parse(webhook.events) as string[];
  return kinds.includes("*") || kinds.includes(kind);
}

/** Queues a delivery. For a disabled webhook it is held: its owner can redeliver it later. */
async function queueDelivery(tx: Tx, webhook: webhooks.WebhookRow, event: Event): Promise<void> {
  const active = webhook.is_active === 1;
  const state = active ? "pending" : "held";
  await webhooks.insertDelivery(tx, newDelivery(tx, webhook, event, state, active ? event.created_at : null));
  if (active) await scheduleDeliveries(tx, webhook.host, event.created_at);
}

export const newDelivery = (
  context: Context & Partial<Pick<Tx, "trace">>,
  { id: webhookId, host }: webhooks.WebhookRow,
  event: Event,
  state: DeliveryStatus,
  nextRetryAt: number | null,
): New<"webhook_deliveries"> => ({
  id: context.newId(),
  webhook_id: webhookId,
  host,
  event_id: event.id,
  event: event.kind,
  state,
  attempt_count: 0,
  round_start: 0,
  next_retry_at: nextRetryAt,
  created_at: event.created_at,
  trace: context.trace ?? null,
});

/** Schedules the job that sends what is due to a host. There is one job per host, so that it can limit the concurrent deliveries. */
export const scheduleDeliveries = (tx: Tx, host: string, at: number) =>
  tx.schedule({ kind: "deliver-webhook", key: host, payload: { host }, runAt: at });
