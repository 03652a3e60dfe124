import type { Deps } from "./deps.ts";
import { composeWebhookDisabled } from "./domain/mails.ts";
import { failuresToDisable, nextAttemptAt, retryAfterMs } from "./domain/webhook-schedule.ts";
import { signatureHeaders } from "./domain/webhook-signature.ts";
import { emit } from "./events.ts";
import { queueMail } from "./mail.ts";
import { AddressRefused } from "./outbound/index.ts";
import type { Query } from "./store/db.ts";
import * as users from "./store/users.ts";
import * as webhooks from "./store/webhooks.ts";

/** What became of one attempt. */
export interface Outcome {
  succeeded: boolean;
  /** The receiver wants no more (410): its webhook is disabled at once, as Standard Webhooks asks. */
  gone: boolean;
  status: number | null;
  error: string | null;
  response: string | null;
  durationMs: number;
  retryAfterMs: number;
}

const responseKept = 4096;

export const secretContext = (webhookId: string) => `webhook ${webhookId}`;

/** The event as receivers and the event log show it (decisions §10). */
export const eventBody = (event: { kind: string; data: string; created_at: number }) => ({
  event: event.kind,
  timestamp: new Date(event.created_at).toISOString(),
  data: JSON.parse(event.data) as Record<string, unknown>,
});

/** Sends the delivery once, signed with the webhook's present secret. Never throws for what a receiver does. */
export async function attempt(deps: Deps, delivery: webhooks.OutgoingRow): Promise<Outcome> {
  const { clock, config } = deps;
  const started = clock.real();
  const body = JSON.stringify(eventBody({ kind: delivery.event, data: delivery.data, created_at: delivery.happened_at }));
  const secret = deps.secrets.open(delivery.secret, secretContext(delivery.webhook_id));
  const headers = {
    "Content-Type": "application/json",
    "User-Agent": `playtest-webhooks/${config.version}`,
    ...signatureHeaders({ id: delivery.event_id, timestamp: Math.floor(started / 1000), body, secret }),
  };
  const { timeoutMs: deadlineMs, responseMaxBytes: maxBytes } = config.webhooks;
  const outcome = { gone: false, status: null, error: null, response: null, retryAfterMs: 0 };
  try {
    const reply = await deps.outbound.request({ url: delivery.url, method: "POST", headers, body, deadlineMs, maxBytes });
    const succeeded = reply.status >= 200 && reply.status < 300;
    return {
      ...outcome,
      succeeded,
      gone: reply.status === 410,
      status: reply.status,
      error: succeeded ? null : `answered ${reply.status}`,
      response: reply.body.subarray(0, responseKept).toString().replaceAll("\0", "\ufffd"),
      durationMs: clock.real() - started,
      retryAfterMs: retryAfterMs(reply.headers["retry-after"], clock.real()),
    };
  } catch (error) {
    return { ...outcome, succeeded: false, error: textOf(error), durationMs: clock.real() - started };
  }
}

/** Why no answer came, for the webhook's owner. */
function textOf(error: unknown): string {
  if (error instanceof AddressRefused) return error.message;
  const { code, message } = error as NodeJS.ErrnoException;
  return (code === undefined || message.includes(code) ? message : `${code}: ${message}`).slice(0, 500);
}

/** Notes an attempt of a queued delivery: its row, the retry, and what it means for the webhook. */
export async function settle(deps: Deps, tx: Query, deliveryId: string, outcome: Outcome, random: number): Promise<void> {
  const now = deps.clock.now();
  const delivery = await webhooks.findOutgoing(tx, deliveryId);
  if (!delivery) return;
  await noteAttempt(deps, tx, delivery, outcome);
  if (delivery.state !== "pending" && delivery.state !== "paused") return;
  const attempts = delivery.attempt_count + 1;
  const common = { attempt_count: attempts, status_code: outcome.status, last_error: outcome.error };
  if (outcome.succeeded) {
    const done = { ...common, state: "delivered", delivered_at: now, next_retry_at: null } as const;
    await webhooks.updateDelivery(tx, delivery.id, done);
    await webhooks.clearFailures(tx, delivery.webhook_id);
    return;
  }
  const next = nextAttemptAt(attempts - delivery.round_start, now, random, outcome.retryAfterMs);
  const state = next === null ? "failed" : delivery.state;
  await webhooks.updateDelivery(tx, delivery.id, { ...common, state, next_retry_at: state === "pending" ? next : null });
  const webhook = await webhooks.countFailure(tx, delivery.webhook_id, now);
  if (webhook && (outcome.gone || webhook.failure_count >= failuresToDisable)) await disable(deps, tx, webhook);
}

const noteAttempt = (deps: Deps, tx: Query, delivery: webhooks.DeliveryRow, outcome: Outcome) =>
  webhooks.insertAttempt(tx, {
    id: deps.newId(),
    delivery_id: delivery.id,
    status_code: outcome.status,
    error: outcome.error,
    duration_ms: Math.max(0, Math.round(outcome.durationMs)),
    response: outcome.response,
    created_at: deps.clock.now(),
  });

/** Notes the one attempt of a ping: it counts neither as failure nor as success of the webhook. */
export async function settleTest(deps: Deps, tx: Query, delivery: webhooks.DeliveryRow, outcome: Outcome) {
  await noteAttempt(deps, tx, delivery, outcome);
  const changes = {
    state: outcome.succeeded ? "delivered" : "failed",
    attempt_count: 1,
    status_code: outcome.status,
    last_error: outcome.error,
    delivered_at: outcome.succeeded ? deps.clock.now() : null,
  } as const;
  await webhooks.updateDelivery(tx, delivery.id, changes);
  return { ...delivery, ...changes };
}

/** No further attempts until the owner enables it; they are told by notification and mail (server side of specification: Events). */
async function disable(deps: Deps, tx: Query, webhook: webhooks.WebhookRow): Promise<void> {
  await webhooks.update(tx, webhook.id, { is_active: 0, disabled_at: deps.clock.now() });
  await webhooks.moveDeliveries(tx, webhook.id, "pending", "paused");
  const owner = await users.find(tx, webhook.owner_id);
  if (!owner) return;
  const data = { webhookId: webhook.id, url: webhook.url };
  await emit(deps, tx, [{ id: owner.id, role: "game_owner" }], { kind: "webhook.disabled", data, notice: { url: webhook.url } });
  await queueMail(deps, tx, owner.email, composeWebhookDisabled({ name: owner.display_name, url: webhook.url, id: webhook.id }));
}
