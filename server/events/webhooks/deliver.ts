import { setTimeout as pause } from "node:timers/promises";
import type { Deps } from "../../app/deps.ts";
import type { Job } from "../../jobs/job.ts";
import { type Attempted, attempt, openSecret, recordAttempts } from "./deliveries.ts";
import * as webhooks from "./store.ts";

/** A host gives way to others after so long (ms) or so many deliveries; it goes on when its turn comes again. */
const turnMs = 5_000;
const turnDeliveries = 1_000;
const lookAgainMs = 250;
const batch = 256;
/** A success is noted at the latest after so long (ms): a crash before that sends it once more. */
const noteWithinMs = 200;

/** Sends what is due to one host, a few at a time, then waits for what is due there next. */
export async function deliverWebhook(job: Job, deps: Deps): Promise<void> {
  const host = String(job.payload.host);
  const { clock, store, draining } = deps;
  const until = clock.real() + turnMs;
  /** From the moment one is taken until its attempt is noted: the database still shows it as waiting. */
  const taken = new Set<string>();
  const notes = createNotes(deps, (id) => taken.delete(id));
  const open = secretsOf(deps);
  let queue: webhooks.OutgoingRow[] = [];
  let looking: Promise<void> | undefined;
  let sending = 0;
  let sent = 0;
  const over = () => sent >= turnDeliveries || clock.real() >= until || draining.aborted;

  async function look(): Promise<void> {
    await notes.unbroken();
    const due = await store.read((q) => webhooks.dueForHost(q, host, clock.now(), batch + taken.size));
    queue = due.filter(({ id }) => !taken.has(id));
  }

  async function take(): Promise<webhooks.OutgoingRow | undefined> {
    if (queue.length === 0) {
      looking ??= look().finally(() => {
        looking = undefined;
      });
      await looking;
    }
    const next = queue.shift();
    if (next) taken.add(next.id);
    return next;
  }

  /** The webhook is read anew each time: a deletion or a new secret holds for what was queued before it. */
  async function send(delivery: webhooks.OutgoingRow): Promise<void> {
    const webhook = await store.read((q) => webhooks.find(q, delivery.webhook_id));
    if (!webhook || webhook.is_active === 0 || webhook.deleted_at !== null || webhook.host !== host)
      return void taken.delete(delivery.id);
    const outcome = await attempt(deps, delivery, webhook.url, open(webhook));
    notes.add({ delivery, outcome, random: outcome.succeeded ? 0 : deps.randomBytes(4).readUInt32BE() / 2 ** 32 });
    // A failure may be the one that disables the webhook.
    if (!outcome.succeeded) await notes.flush();
  }

  async function work(): Promise<void> {
    while (!over()) {
      const delivery = await take();
      if (delivery) {
        sending++;
        sent++;
        await send(delivery).finally(() => sending--);
      } else if (sending === 0) return;
      // Another delivery is slow: what is committed meanwhile must not wait for it.
      else await pause(lookAgainMs, undefined, { ref: false });
    }
  }

  await Promise.all(Array.from({ length: deps.config.webhooks.inFlightPerHost }, work));
  await notes.flush();
  await store.write(async (tx) => {
    const next = await webhooks.nextForHost(tx, host);
    // A delivery committed meanwhile is seen here, or its own transaction finds the job gone and queues it anew.
    await (next === null ? job.done(tx) : job.again(tx, Math.max(next, clock.now())));
  });
}

/** Opens each sealed secret once a turn. */
function secretsOf(deps: Deps): (webhook: webhooks.WebhookRow) => string {
  const opened = new Map<string, string>();
  return (webhook) => {
    const secret = opened.get(webhook.secret) ?? openSecret(deps, webhook);
    opened.set(webhook.secret, secret);
    return secret;
  };
}

/** Notes attempts in batches and in order, while the next ones are on their way. */
function createNotes(deps: Deps, noted: (deliveryId: string) => void) {
  let waiting: Attempted[] = [];
  let timer: NodeJS.Timeout | undefined;
  let written: Promise<void> = Promise.resolve();
  let broken: Promise<void> | undefined;

  async function write(): Promise<void> {
    const attempts = waiting;
    waiting = [];
    if (attempts.length === 0) return;
    await deps.store.write((tx) => recordAttempts(deps, tx, attempts));
    for (const { delivery } of attempts) noted(delivery.id);
  }

  /** Resolves when all that was added is noted; rejects, from then on, when that failed. */
  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    written = written.then(write);
    const attempt = written;
    attempt.catch(() => {
      broken = attempt;
    });
    return written;
  }

  return {
    flush,
    /** Rejects when noting failed: what cannot be noted would be sent again and again. */
    unbroken: () => broken ?? Promise.resolve(),
    add(attempted: Attempted) {
      waiting.push(attempted);
      if (waiting.length >= batch) void flush();
      // At the same instants for every host: then all of them share a commit.
      else timer ??= setTimeout(flush, noteWithinMs - (deps.clock.real() % noteWithinMs));
    },
  };
}
