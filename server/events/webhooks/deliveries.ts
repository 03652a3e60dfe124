import type { EventData } from "../../../src/contract/events/payloads.ts";
import * as users from "../../accounts/users-store.ts";
import type { Deps } from "../../app/deps.ts";
import type { Context, ReadTx, Tx } from "../../app/tx.ts";
import { taskAction } from "../../mail/links.ts";
import { AddressRefused } from "../../outbound/index.ts";
import { emit, scheduleDeliveries } from "../emit.ts";
import { mailAbout } from "../event-mails.ts";
import { noticeOf } from "../notices.ts";
import * as notifications from "../notifications-store.ts";
import { type ChatFormat, formats } from "./formats.ts";
import { webhookDisabledLetter } from "./letters.ts";
import { failuresToDisable, nextAttemptAt, retryAfterMs } from "./schedule.ts";
import { signatureHeaders } from "./signature.ts";
import * as webhooks from "./store.ts";

/** The result of one attempt. */
export interface Outcome {
  succeeded: boolean;
  /** The endpoint responded with 410 Gone. Its webhook is disabled at once, as Standard Webhooks requires. */
  gone: boolean;
  status: number | null;
  error: string | null;
  response: string | null;
  durationMs: number;
  retryAfterMs: number;
}

const responseKept = 4096;

export const secretContext = (webhookId: string) => `webhook ${webhookId}`;

/** The event in the form that webhooks send and the event log shows. */
export const eventBody = (event: { kind: string; data: string; created_at: number }) => ({
  event: event.kind,
  timestamp: new Date(event.created_at).toISOString(),
  data: JSON.parse(event.data) as Record<string, unknown>,
});

/** `eventBody` as JSON text. The stored data is JSON already and is not parsed. */
const bodyOf = ({ event, data, happened_at }: webhooks.OutgoingRow) =>
  `{"event":"${event}","timestamp":"${new Date(happened_at).toISOString()}","data":${data}}`;

export const openSecret = (context: Context, { id, secret }: webhooks.WebhookRow) =>
  context.secrets.open(secret, secretContext(id));

/** Signs the delivery and sends it once, when fewer than the maximum are in flight to its host. A failure is returned as an outcome, never thrown. */
export async function attempt(
  deps: Deps,
  delivery: webhooks.OutgoingRow,
  webhook: webhooks.WebhookRow,
  secret: string,
): Promise<Outcome> {
  const body = webhook.format === "standard" ? bodyOf(delivery) : await messageOf(deps, delivery, webhook);
  return deps.inFlight.run(new URL(webhook.url).host, () => send(deps, delivery, { url: webhook.url, body, secret }));
}

/** The event as a message for people: the text of the owner's notification and a link. */
async function messageOf(deps: Deps, delivery: webhooks.OutgoingRow, webhook: webhooks.WebhookRow): Promise<string> {
  const notice = await deps.store.read((q) =>
    notifications.findByEvent(q, webhook.owner_id, delivery.event_id, delivery.happened_at),
  );
  const data = JSON.parse(delivery.data) as EventData;
  const { title, body: text } = notice ?? noticeOf(delivery.event, "game_owner", {});
  const action = taskAction(deps.config, delivery.event, data);
  const message = { title, text, action, timestamp: new Date(delivery.happened_at).toISOString() };
  return JSON.stringify(formats[webhook.format as ChatFormat](message));
}

interface Sent {
  url: string;
  body: string;
  secret: string;
}

async function send(deps: Deps, delivery: webhooks.OutgoingRow, { url, body, secret }: Sent): Promise<Outcome> {
  const { clock, config } = deps;
  const started = clock.real();
  const headers = {
    "Content-Type": "application/json",
    "User-Agent": `playtest-webhooks/${config.version}`,
    ...signatureHeaders({ id: delivery.event_id, timestamp: Math.floor(started / 1000), body, secret }),
  };
  const { timeoutMs: deadlineMs, responseMaxBytes: maxBytes } = config.webhooks;
  const outcome = { gone: false, status: null, error: null, response: null, retryAfterMs: 0 };
  try {
    const reply = await deps.outbound.request({ url, method: "POST", headers, body, deadlineMs, maxBytes });
    const succeeded = reply.status >= 200 && reply.status < 300;
    return {
      ...outcome,
      succeeded,
      gone: reply.status === 410,
      status: reply.status,
      error: succeeded ? null : `the endpoint responded with status ${reply.status}`,
      response: reply.body.subarray(0, responseKept).toString().replaceAll("\0", "\ufffd"),
      durationMs: clock.real() - started,
      retryAfterMs: retryAfterMs(reply.headers["retry-after"], clock.real()),
    };
  } catch (error) {
    return { ...outcome, succeeded: false, error: failureText(error), durationMs: clock.real() - started };
  }
}

const notHttp = "the response of the endpoint is not valid HTTP. Check that a web server listens at its address and port";

const meanings: Record<string, string> = {
  ENOTFOUND: "the host name of the endpoint has no address",
  UND_ERR_SOCKET: "the endpoint closed the connection without a response",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: notHttp,
  UND_ERR_HEADERS_OVERFLOW: "the headers of the response are larger than 16 KiB",
};

/** Why there was no response, in words for the webhook's owner. */
function failureText(error: unknown): string {
  if (error instanceof AddressRefused) return error.message;
  const { code, message, name, syscall } = error as NodeJS.ErrnoException;
  // Node.js names the address. What a name stands for in the server's network is nobody else's business.
  if (syscall === "connect" || error instanceof AggregateError) return `no connection to the endpoint was possible (${code})`;
  if (name === "HTTPParserError") return notHttp;
  if (message === "bad upgrade") return "the endpoint responded with status 101, which changes the protocol";
  return meanings[code ?? ""] ?? (code === undefined || message.includes(code) ? message : `${code}: ${message}`).slice(0, 500);
}

/** An attempt of a queued delivery. `random` (0 to 1) is the jitter of its retry. */
export interface Attempted {
  delivery: webhooks.OutgoingRow;
  outcome: Outcome;
  random: number;
}

/** Records attempts in the order in which they were made: inserts their rows, schedules retries and updates their webhooks. */
export async function recordAttempts(tx: Tx, attempts: readonly Attempted[]): Promise<void> {
  await webhooks.insertAttempts(
    tx,
    attempts.map(({ delivery, outcome }) => attemptRow(tx, delivery.id, outcome)),
  );
  for (const group of groupByStatus(attempts)) {
    const { outcome } = group[0]!;
    if (outcome.succeeded) await recordSuccesses(tx, group);
    else for (const failed of group) await recordFailure(tx, failed);
  }
}

/** Groups consecutive attempts with the same status. Keeps the order. */
function groupByStatus(attempts: readonly Attempted[]): Attempted[][] {
  const groups: Attempted[][] = [];
  for (const attempted of attempts) {
    const group = groups.at(-1);
    if (group && group[0]!.outcome.status === attempted.outcome.status) group.push(attempted);
    else groups.push([attempted]);
  }
  return groups;
}

async function recordSuccesses(tx: Tx, attempts: readonly Attempted[]): Promise<void> {
  const ids = attempts.map(({ delivery }) => delivery.id);
  await webhooks.markDelivered(tx, ids, attempts[0]!.outcome.status, tx.now);
  await webhooks.clearFailures(tx, [...new Set(attempts.map(({ delivery }) => delivery.webhook_id))]);
}

async function recordFailure(tx: Tx, { delivery: { id }, outcome, random }: Attempted): Promise<void> {
  const now = tx.now;
  const delivery = await webhooks.deliveryOf(tx, id);
  if (!delivery || !webhooks.isDeliveryIn(delivery, "pending", "paused")) return;
  const attempts = delivery.attempt_count + 1;
  const next = nextAttemptAt(attempts - delivery.round_start, now, random, outcome.retryAfterMs);
  const attempted = { attempt_count: attempts, status_code: outcome.status, last_error: outcome.error };
  if (next === null) await webhooks.transitionDelivery(tx, delivery, "fail", { ...attempted, next_retry_at: null });
  else await webhooks.updateDelivery(tx, id, { ...attempted, next_retry_at: delivery.state === "pending" ? next : null });
  const webhook = await webhooks.countFailure(tx, delivery.webhook_id, now);
  if (webhook && (outcome.gone || webhook.failure_count >= failuresToDisable)) await disable(tx, webhook, outcome.gone);
}

const attemptRow = (tx: ReadTx, deliveryId: string, outcome: Outcome): webhooks.AttemptRow => ({
  id: tx.newId(),
  delivery_id: deliveryId,
  status_code: outcome.status,
  error: outcome.error,
  duration_ms: Math.max(0, Math.round(outcome.durationMs)),
  response: outcome.response,
  created_at: tx.now,
});

/** Records the only attempt of a test event. It does not change the webhook's count of failures. */
export async function recordTestAttempt(tx: Tx, delivery: webhooks.DeliveryRow, outcome: Outcome) {
  await webhooks.insertAttempts(tx, [attemptRow(tx, delivery.id, outcome)]);
  const changes = {
    attempt_count: 1,
    status_code: outcome.status,
    last_error: outcome.error,
    delivered_at: outcome.succeeded ? tx.now : null,
  };
  await webhooks.transitionDeliveryFromAny(tx, delivery, outcome.succeeded ? "deliver" : "fail", changes);
  return { ...delivery, ...changes };
}

/** Puts a delivery right that was queued at the instant at which its webhook was disabled, deleted or moved to another host. */
export async function putRight(tx: Tx, { id }: Pick<webhooks.DeliveryRow, "id">): Promise<void> {
  const delivery = await webhooks.deliveryOf(tx, id);
  if (!delivery || !webhooks.isDeliveryIn(delivery, "pending")) return;
  const webhook = await webhooks.find(tx, delivery.webhook_id);
  if (!webhook || webhook.deleted_at !== null) await webhooks.transitionDelivery(tx, delivery, "cancel", { next_retry_at: null });
  else if (webhook.is_active === 0) await webhooks.transitionDelivery(tx, delivery, "pause", { next_retry_at: null });
  else if (webhook.host !== delivery.host) {
    await webhooks.updateDelivery(tx, id, { host: webhook.host });
    await scheduleDeliveries(tx, webhook.host, tx.now);
  }
}

/** Disables a webhook until its owner enables it. The owner gets a notification and an email, because the endpoint receives no more events. */
async function disable(tx: Tx, webhook: webhooks.WebhookRow, gone: boolean): Promise<void> {
  const now = tx.now;
  await webhooks.update(tx, webhook.id, { is_active: 0, disabled_at: now });
  await webhooks.moveDeliveries(tx, webhook.id, "pending", "pause");
  const owner = await users.find(tx, webhook.owner_id);
  if (!owner) return;
  const data = { webhookId: webhook.id, url: webhook.url };
  await emit(tx, [{ id: owner.id, role: "game_owner" }], {
    kind: "webhook.disabled",
    data,
    notice: { url: webhook.url, gone },
  });
  await mailAbout(tx, owner, "webhook.disabled", (zone) =>
    webhookDisabledLetter({ config: tx.config, webhookId: webhook.id, url: webhook.url, gone, at: now, zone }),
  );
}
