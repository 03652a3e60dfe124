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
  await each(deps, [
    ...rules.map(
      ([removal, before]) =>
        () =>
          removeAll(deps, removal, before),
    ),
    () => removeOldCopies(deps.dataDir, deps.clock.real()),
  ]);
  await deps.store.write((tx) => job.reschedule(tx, now + everyMs));
}

async function removeAll({ store, draining }: Deps, { isolation, remove }: old.Removal, before: number): Promise<void> {
  let removed = batch;
  while (removed === batch && !draining.aborted) removed = await store.write((tx) => remove(tx, before, batch), { isolation });
}

/** Takes every step, so that one that fails each time holds up no other. Then throws the first error, after the others are in the log. */
async function each({ log }: Deps, steps: readonly (() => Promise<void>)[]): Promise<void> {
  const errors: unknown[] = [];
  for (const step of steps) await step().catch((error: unknown) => errors.push(error));
  for (const err of errors.slice(1)) log.error({ err }, "some of the data whose time has ended could not be removed");
  if (errors.length > 0) throw errors[0];
}
