import { setTimeout as pause } from "node:timers/promises";
import { attempt, settle } from "../deliveries.ts";
import type { Deps } from "../deps.ts";
import * as webhooks from "../store/webhooks.ts";
import type { Job } from "./runner.ts";

/** A host gives way to others after so long (ms) or so many deliveries; it goes on when its turn comes again. */
const turnMs = 5_000;
const turnDeliveries = 1_000;
const lookAgainMs = 250;
const maxUnnoted = 32;

/** Sends what is due to one host, a few at a time, then waits for what is due there next. */
export async function deliverWebhook(job: Job, deps: Deps): Promise<void> {
  const host = String(job.payload.host);
  const { clock, store, draining } = deps;
  const until = clock.real() + turnMs;
  const inFlight = new Set<string>();
  let waiting: string[] = [];
  const notes: Promise<void>[] = [];
  let sent = 0;
  const over = () => sent >= turnDeliveries || clock.real() >= until || draining.aborted;

  function next(): string | undefined {
    let id = waiting.shift();
    while (id !== undefined && inFlight.has(id)) id = waiting.shift();
    if (id !== undefined) inFlight.add(id);
    return id;
  }

  async function take(): Promise<string | undefined> {
    const known = next();
    if (known !== undefined) return known;
    waiting = (await store.read((q) => webhooks.dueForHost(q, host, clock.now(), 50))).map((delivery) => delivery.id);
    return next();
  }

  async function work(): Promise<void> {
    while (!over()) {
      const id = await take();
      if (id !== undefined) {
        await send(id);
        sent++;
      } else if (inFlight.size === 0) return;
      // Another delivery is slow: what is committed meanwhile must not wait for it.
      else await pause(lookAgainMs, undefined, { ref: false });
    }
  }

  /** After a success the next one goes out while this one is being noted; a failure may be the one that disables. */
  async function send(id: string): Promise<void> {
    const delivery = await store.read((q) => webhooks.findOutgoing(q, id));
    if (!delivery || !isDue(delivery, clock.now())) return void inFlight.delete(id);
    const outcome = await attempt(deps, delivery);
    const random = outcome.succeeded ? 0 : deps.randomBytes(4).readUInt32BE() / 2 ** 32;
    const noted = store.write((tx) => settle(deps, tx, id, outcome, random)).finally(() => inFlight.delete(id));
    notes.push(noted);
    noted.catch(() => {});
    if (!outcome.succeeded || inFlight.size > maxUnnoted) await noted;
  }

  await Promise.all(Array.from({ length: deps.config.webhooks.inFlightPerHost }, work));
  await Promise.all(notes);
  await store.write(async (tx) => {
    const next = await webhooks.nextForHost(tx, host);
    // A delivery committed meanwhile is seen here, or its own transaction finds the job gone and queues it anew.
    await (next === null ? job.done(tx) : job.again(tx, Math.max(next, clock.now())));
  });
}

const isDue = ({ state, next_retry_at, is_active, deleted_at }: webhooks.OutgoingRow, now: number) =>
  state === "pending" && next_retry_at !== null && next_retry_at <= now && is_active === 1 && deleted_at === null;
