import { setTimeout as pause } from "node:timers/promises";
import type { Deps } from "../../app/deps.ts";
import type { Job } from "../../jobs/job.ts";
import { traceIn, withTrace } from "../../lib/trace.ts";
import { type Attempted, attempt, openSecret, putRight, recordAttempts } from "./deliveries.ts";
import * as webhooks from "./store.ts";

/** Limits of one run of the job for a host, so that other hosts get a turn. What is left is sent in the next run. */
const turnMs = 5_000;
const turnDeliveries = 1_000;
const pollMs = 250;
const batchSize = 256;
/** The longest time before a success is recorded. After a crash, deliveries that were sent but not recorded are sent again. */
const recordWithinMs = 200;

/** Sends the due deliveries of one host, a few at a time, then reschedules itself for the next one that becomes due. */
export async function deliverWebhook(job: Job, deps: Deps): Promise<void> {
  const host = String(job.payload.host);
  const { clock, store, draining } = deps;
  const until = clock.real() + turnMs;
  /** Ids of deliveries whose attempt is running or not recorded yet. The database still shows them as pending. */
  const inProgress = new Set<string>();
  const recorder = createAttemptRecorder(deps, (id) => inProgress.delete(id));
  const open = secretsOf(deps);
  let queue: webhooks.OutgoingRow[] = [];
  let loading: Promise<void> | undefined;
  let sending = 0;
  let sent = 0;
  const over = () => sent >= turnDeliveries || clock.real() >= until || draining.aborted || !job.isHeld();

  async function loadDue(): Promise<void> {
    await recorder.throwIfFailed();
    // Those in progress when the read begins: an attempt recorded meanwhile leaves `inProgress`, but the read may still show it as due.
    const skipped = new Set(inProgress);
    const due = await store.read((q) => webhooks.dueForHost(q, host, clock.now(), batchSize + skipped.size));
    queue = due.filter(({ id }) => !skipped.has(id));
  }

  async function take(): Promise<webhooks.OutgoingRow | undefined> {
    if (queue.length === 0) {
      loading ??= loadDue().finally(() => {
        loading = undefined;
      });
      await loading;
    }
    const next = queue.shift();
    if (next) inProgress.add(next.id);
    return next;
  }

  /** Reads the webhook before each attempt, so that a deletion or a new secret also applies to deliveries queued earlier. */
  async function send(delivery: webhooks.OutgoingRow): Promise<void> {
    const webhook = await store.read((q) => webhooks.find(q, delivery.webhook_id));
    // Whoever holds the lease now sends this one.
    if (!job.isHeld()) return void inProgress.delete(delivery.id);
    if (!webhook || webhook.is_active === 0 || webhook.deleted_at !== null || webhook.host !== host) {
      await store.write((tx) => putRight(tx, delivery));
      return void inProgress.delete(delivery.id);
    }
    const secret = open(webhook);
    const outcome = await withTrace(traceIn(delivery.trace), () => attempt(deps, delivery, webhook, secret));
    // The server's own end cut it off, which is no failure of the receiver. It stays due.
    if (outcome.status === null && !outcome.succeeded && draining.aborted) return;
    recorder.add({ delivery, outcome, random: outcome.succeeded ? 0 : deps.randomBytes(4).readUInt32BE() / 2 ** 32 });
    // Recorded at once, because this failure may disable the webhook.
    if (!outcome.succeeded) await recorder.flush();
  }

  async function work(): Promise<void> {
    while (!over()) {
      const delivery = await take();
      if (delivery) {
        sending++;
        sent++;
        await send(delivery).finally(() => sending--);
      } else if (sending === 0) return;
      // Other attempts are still running. Check for new deliveries meanwhile, so that they do not wait for a slow one.
      else await pause(pollMs, undefined, { ref: false });
    }
  }

  await Promise.all(Array.from({ length: deps.config.webhooks.inFlightPerHost }, work));
  await recorder.flush();
  await job.endUnless(async (tx) => {
    const next = await webhooks.nextForHost(tx, host);
    return next === null ? undefined : Math.max(next, tx.now);
  });
}

/** Returns the secret of a webhook. Decrypts each only once per run. */
function secretsOf(deps: Deps): (webhook: webhooks.WebhookRow) => string {
  const opened = new Map<string, string>();
  return (webhook) => {
    const secret = opened.get(webhook.secret) ?? openSecret(deps, webhook);
    opened.set(webhook.secret, secret);
    return secret;
  };
}

/** Records attempts in batches and in order, while the next ones are sent. `onRecorded` gets the id of each recorded delivery. */
function createAttemptRecorder(deps: Deps, onRecorded: (deliveryId: string) => void) {
  let waiting: Attempted[] = [];
  let timer: NodeJS.Timeout | undefined;
  let written: Promise<void> = Promise.resolve();
  let failed: Promise<void> | undefined;

  async function write(): Promise<void> {
    const attempts = waiting;
    waiting = [];
    if (attempts.length === 0) return;
    await deps.store.write((tx) => recordAttempts(tx, attempts));
    for (const { delivery } of attempts) onRecorded(delivery.id);
  }

  /** Resolves when all added attempts are recorded. Once recording has failed, every call rejects. */
  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    written = written.then(write);
    const attempt = written;
    attempt.catch(() => {
      failed = attempt;
    });
    return written;
  }

  return {
    flush,
    /** Rejects when recording has failed. Without this check, deliveries that cannot be recorded would be sent again and again. */
    throwIfFailed: () => failed ?? Promise.resolve(),
    add(attempted: Attempted) {
      waiting.push(attempted);
      if (waiting.length >= batchSize) void flush();
      // At multiples of the interval, which are the same for every host, so that their writes share a commit.
      else timer ??= setTimeout(flush, recordWithinMs - (deps.clock.real() % recordWithinMs));
    },
  };
}
