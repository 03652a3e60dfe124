import { attempt, settle } from "../deliveries.ts";
import type { Deps } from "../deps.ts";
import * as webhooks from "../store/webhooks.ts";
import type { Job } from "./runner.ts";

/** A host gives way to others after so long (ms) or so many deliveries; it goes on when its turn comes again. */
const turnMs = 2_000;
const turnDeliveries = 500;

/** Sends what is due to one host, a few at a time, then waits for what is due there next. */
export async function deliverWebhook(job: Job, deps: Deps): Promise<void> {
  const host = String(job.payload.host);
  const { clock, store } = deps;
  const until = clock.real() + turnMs;
  for (let sent = 0; sent < turnDeliveries && clock.real() < until && !deps.draining.aborted; ) {
    const due = await store.read((q) => webhooks.dueForHost(q, host, clock.now(), 50));
    if (due.length === 0) break;
    sent += due.length;
    await sendAll(
      due.map((delivery) => delivery.id),
      () => clock.real() >= until || deps.draining.aborted,
    );
  }
  await store.write(async (tx) => {
    const next = await webhooks.nextForHost(tx, host);
    // A delivery committed meanwhile is seen here, or its own transaction makes this one run again.
    await (next === null ? job.done(tx) : job.again(tx, Math.max(next, clock.now())));
  });

  async function sendAll(ids: string[], over: () => boolean): Promise<void> {
    const worker = async () => {
      for (let id = ids.shift(); id !== undefined && !over(); id = ids.shift()) await deliver(deps, id);
    };
    await Promise.all(Array.from({ length: deps.config.webhooks.inFlightPerHost }, worker));
  }
}

async function deliver(deps: Deps, id: string): Promise<void> {
  const delivery = await deps.store.read((q) => webhooks.findOutgoing(q, id));
  if (delivery?.state !== "pending" || delivery.is_active === 0 || delivery.deleted_at !== null) return;
  const outcome = await attempt(deps, delivery);
  const random = deps.randomBytes(4).readUInt32BE() / 2 ** 32;
  await deps.store.write((tx) => settle(deps, tx, id, outcome, random));
}
