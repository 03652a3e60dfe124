import * as users from "../../accounts/users-store.ts";
import type { Deps } from "../../app/deps.ts";
import type { Query } from "../../database/port.ts";
import { queueMail } from "../../mail/queue.ts";
import { composeWebhookDisabled } from "../../mail/texts.ts";
import { AddressRefused } from "../../outbound/index.ts";
import { emit } from "../emit.ts";
import { failuresToDisable, nextAttemptAt, retryAfterMs } from "./schedule.ts";
import { signatureHeaders } from "./signature.ts";
import * as webhooks from "./store.ts";

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

/** The event as receivers and the event log show it. */
export const eventBody = (event: { kind: string; data: string; created_at: number }) => ({
  event: event.kind,
  timestamp: new Date(event.created_at).toISOString(),
  data: JSON.parse(event.data) as Record<string, unknown>,
});

/** The text of `eventBody`: the data is stored as the JSON it is sent as. */
const bodyOf = ({ event, data, happened_at }: webhooks.OutgoingRow) =>
  `{"event":"${event}","timestamp":"${new Date(happened_at).toISOString()}","data":${data}}`;

export const openSecret = (deps: Deps, { id, secret }: webhooks.WebhookRow) => deps.secrets.open(secret, secretContext(id));

/** Sends the delivery once, signed. Never throws for what a receiver does. */
export async function attempt(deps: Deps, delivery: webhooks.OutgoingRow, url: string, secret: string): Promise<Outcome> {
  const { clock, config } = deps;
  const started = clock.real();
  const body = bodyOf(delivery);
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
      error: succeeded ? null : `answered ${reply.status}`,
      response: reply.body.subarray(0, responseKept).toString().replaceAll("\0", "\ufffd"),
      durationMs: clock.real() - started,
      retryAfterMs: retryAfterMs(reply.headers["retry-after"], clock.real()),
    };
  } catch (error) {
    return { ...outcome, succeeded: false, error: textOf(error), durationMs: clock.real() - started };
  }
}

const meanings: Record<string, string> = {
  UND_ERR_SOCKET: "the endpoint closed the connection without a response",
  UND_ERR_HEADERS_OVERFLOW: "the headers of the response are larger than 16 KiB",
};

/** Why no answer came, for the webhook's owner. */
function textOf(error: unknown): string {
  if (error instanceof AddressRefused) return error.message;
  const { code, message } = error as NodeJS.ErrnoException;
  return meanings[code ?? ""] ?? (code === undefined || message.includes(code) ? message : `${code}: ${message}`).slice(0, 500);
}

/** An attempt of a queued delivery; `random` (0 to 1) spreads its retry. */
export interface Attempted {
  delivery: webhooks.OutgoingRow;
  outcome: Outcome;
  random: number;
}

/** Notes attempts in the order they were made: their rows, the retries, and what they mean for their webhooks. */
export async function recordAttempts(deps: Deps, tx: Query, attempts: readonly Attempted[]): Promise<void> {
  await webhooks.insertAttempts(
    tx,
    attempts.map(({ delivery, outcome }) => attemptRow(deps, delivery.id, outcome)),
  );
  for (const alike of inRuns(attempts)) {
    const { outcome } = alike[0]!;
    if (outcome.succeeded) await settleSuccesses(deps, tx, alike);
    else for (const failed of alike) await settleFailure(deps, tx, failed);
  }
}

/** Neighbours with the same status together. */
function inRuns(attempts: readonly Attempted[]): Attempted[][] {
  const runs: Attempted[][] = [];
  for (const attempted of attempts) {
    const run = runs.at(-1);
    if (run && run[0]!.outcome.status === attempted.outcome.status) run.push(attempted);
    else runs.push([attempted]);
  }
  return runs;
}

async function settleSuccesses(deps: Deps, tx: Query, attempts: readonly Attempted[]): Promise<void> {
  const ids = attempts.map(({ delivery }) => delivery.id);
  await webhooks.markDelivered(tx, ids, attempts[0]!.outcome.status, deps.clock.now());
  await webhooks.clearFailures(tx, [...new Set(attempts.map(({ delivery }) => delivery.webhook_id))]);
}

async function settleFailure(deps: Deps, tx: Query, { delivery: { id }, outcome, random }: Attempted): Promise<void> {
  const now = deps.clock.now();
  const delivery = await webhooks.deliveryOf(tx, id);
  if (!delivery || !webhooks.isDeliveryIn(delivery, "pending", "paused")) return;
  const attempts = delivery.attempt_count + 1;
  const next = nextAttemptAt(attempts - delivery.round_start, now, random, outcome.retryAfterMs);
  const attempted = { attempt_count: attempts, status_code: outcome.status, last_error: outcome.error };
  if (next === null) await webhooks.transitionDelivery(tx, delivery, "fail", { ...attempted, next_retry_at: null });
  else await webhooks.updateDelivery(tx, id, { ...attempted, next_retry_at: delivery.state === "pending" ? next : null });
  const webhook = await webhooks.countFailure(tx, delivery.webhook_id, now);
  if (webhook && (outcome.gone || webhook.failure_count >= failuresToDisable)) await disable(deps, tx, webhook);
}

const attemptRow = (deps: Deps, deliveryId: string, outcome: Outcome): webhooks.AttemptRow => ({
  id: deps.newId(),
  delivery_id: deliveryId,
  status_code: outcome.status,
  error: outcome.error,
  duration_ms: Math.max(0, Math.round(outcome.durationMs)),
  response: outcome.response,
  created_at: deps.clock.now(),
});

/** Notes the one attempt of a ping: it counts neither as failure nor as success of the webhook. */
export async function settleTest(deps: Deps, tx: Query, delivery: webhooks.DeliveryRow, outcome: Outcome) {
  await webhooks.insertAttempts(tx, [attemptRow(deps, delivery.id, outcome)]);
  const changes = {
    attempt_count: 1,
    status_code: outcome.status,
    last_error: outcome.error,
    delivered_at: outcome.succeeded ? deps.clock.now() : null,
  };
  await webhooks.transitionDeliveryFromAny(tx, delivery, outcome.succeeded ? "deliver" : "fail", changes);
  return { ...delivery, ...changes };
}

/** No further attempts until the owner enables it. A notification and a mail say so, as the receiver hears nothing any more. */
async function disable(deps: Deps, tx: Query, webhook: webhooks.WebhookRow): Promise<void> {
  await webhooks.update(tx, webhook.id, { is_active: 0, disabled_at: deps.clock.now() });
  await webhooks.moveDeliveries(tx, webhook.id, "pending", "pause");
  const owner = await users.find(tx, webhook.owner_id);
  if (!owner) return;
  const data = { webhookId: webhook.id, url: webhook.url };
  await emit(deps, tx, [{ id: owner.id, role: "game_owner" }], { kind: "webhook.disabled", data, notice: { url: webhook.url } });
  await queueMail(deps, tx, owner.email, composeWebhookDisabled({ name: owner.display_name, url: webhook.url, id: webhook.id }));
}
