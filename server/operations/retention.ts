import type { Deps } from "../app/deps.ts";
import type { Job } from "../jobs/job.ts";
import * as old from "./retention-store.ts";

/** Rows of one transaction: others write in between. */
const batch = 500;

/** Has what nobody needs any more removed from now on. Not in a sandbox: its clock leaps over years, and its mails are looked at. */
export const removeOldFromNowOn = (deps: Deps): Promise<void> =>
  deps.store.write((tx) => deps.jobs.schedule(tx, { kind: "remove-old", key: "all", payload: {}, runAt: deps.clock.now() }));

/** Removes rows that are over and that no list shows, and old deliveries of webhooks. The books and all history stay for ever. */
export async function removeOld(job: Job, deps: Deps): Promise<void> {
  const { everyMs, mailMs, deliveryMs, processorEventMs } = deps.config.retention;
  const now = deps.clock.now();
  const rules: [old.Removal, before: number][] = [
    [old.replies, now],
    [old.sessions, now],
    [old.tokens, now],
    [old.mails, now - mailMs],
    [old.deliveries, now - deliveryMs],
    [old.processorEvents, now - processorEventMs],
  ];
  for (const [remove, before] of rules) {
    let removed = batch;
    while (removed === batch && !deps.draining.aborted) removed = await deps.store.write((tx) => remove(tx, before, batch));
  }
  await deps.store.write((tx) => job.again(tx, now + everyMs));
}
