import { setUpMs } from "../accounts/factors/rules.ts";
import { unverifiedMs } from "../accounts/service.ts";
import type { Deps } from "../app/deps.ts";
import type { Job } from "../jobs/job.ts";
import { expiredShareMs } from "../sharing/shares/rules.ts";
import * as old from "./retention-store.ts";
import { removeOldCopies } from "./upgrade.ts";

/** Rows per transaction, so that other writes can run in between. */
const batch = 500;
/** Longer than any bucket takes to fill. */
const hourMs = 3_600_000;
/** For how long a second use of an authorization code is told from a wrong one. */
const dayMs = 24 * hourMs;

/** Starts the periodic removal of expired data. Not used in a sandbox: its clock jumps, and its emails are inspected in tests. */
export const startRetention = (deps: Deps): Promise<void> =>
  deps.store.write((tx) => tx.schedule({ kind: "remove-old", key: "all", payload: {}, runAt: tx.now }));

/** Removes expired rows that no list shows, old emails and old webhook deliveries. The ledger and all history are kept forever. */
export async function removeOld(job: Job, deps: Deps): Promise<void> {
  const { everyMs, mailMs, deliveryMs, processorEventMs } = deps.config.retention;
  const now = deps.clock.now();
  const rules: [old.Removal, before: number][] = [
    [old.replies, now],
    [old.sessions, now],
    [old.tokens, now],
    [old.openConnectionRequests, now],
    [old.connectionRequests, now - dayMs],
    [old.connectionTokens, now],
    [old.emailChanges, now],
    [old.passkeyChallenges, now],
    [old.wrongPasswords, now],
    [old.requestCounts, now - hourMs],
    [old.unfinishedFactors, now - setUpMs],
    [old.unverifiedAccounts, now - unverifiedMs],
    [old.shares, now - expiredShareMs],
    [old.mails, now - mailMs],
    [old.deliveries, now - deliveryMs],
    [old.deliveriesOfDeleted, now],
    [old.deletedWebhooks, now],
    [old.processorEvents, now - processorEventMs],
  ];
  for (const [{ isolation, remove }, before] of rules) {
    let removed = batch;
    while (removed === batch && !deps.draining.aborted)
      removed = await deps.store.write((tx) => remove(tx, before, batch), { isolation });
  }
  await removeOldCopies(deps.dataDir, deps.clock.real());
  await deps.store.write((tx) => job.reschedule(tx, now + everyMs));
}
