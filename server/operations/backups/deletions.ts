import { appendFile, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { suspend } from "../../accounts/service.ts";
import * as users from "../../accounts/users-store.ts";
import type { Deps } from "../../app/deps.ts";
import type { Tx } from "../../app/tx.ts";
import { server, Trail } from "../../audit/trail.ts";
import { ConfigError } from "../../config/read.ts";
import { type Job, RetryLater } from "../../jobs/job.ts";
import { ApiError } from "../../lib/api-error.ts";
import { within } from "../../lib/within.ts";
import { deleteAccount } from "../../personal/service.ts";
import { flush, unlessMissing } from "../../uploads/local-blobs.ts";
import { deletionLine, deletionsFile, parseDeletions } from "./deletion-list.ts";

/** How soon (ms) what did not work is tried again. */
const listAgainMs = 15 * 60_000;
const deleteAgainMs = 86_400_000;

/** How long (ms) a line may take: a network disk may hang. */
const patienceMs = 2_000;

const outage = "listing deleted accounts beside the backups";

/** The last line written to each list. Lines follow each other, so that a disk that hangs takes only one of the few threads for files. */
const lastLines = new Map<string, Promise<void>>();

/** Writes a deleted account to the list beside the backups, before anybody is told of the deletion. What fails is tried again by a job. */
export const listDeleted = (deps: Deps, userId: string): Promise<void> => addInTime(deps, userId).catch(() => {});

/** The same where the request could not. */
export async function listDeletion(job: Job, deps: Deps): Promise<void> {
  await addInTime(deps, String(job.payload.userId)).catch((error: Error) => {
    throw new RetryLater(deps.clock.now() + listAgainMs, error.message);
  });
}

async function addInTime(deps: Deps, userId: string): Promise<void> {
  const { to } = deps.config.backup;
  if (to === null) return;
  const path = join(to, deletionsFile);
  const adding = (lastLines.get(path) ?? Promise.resolve()).then(() => addToList(deps, userId, path));
  lastLines.set(
    path,
    adding.catch(() => {}),
  );
  try {
    const late = new Error(`${path} could not be written within ${patienceMs / 1000} seconds`);
    const failure = await within(
      patienceMs,
      adding.then(() => undefined),
      late,
    );
    if (failure) throw failure;
  } catch (error) {
    deps.outages.failed(outage, (error as Error).message);
    throw error;
  }
  deps.outages.worked(outage);
}

async function addToList(deps: Deps, userId: string, path: string): Promise<void> {
  const user = await deps.store.read((q) => users.find(q, userId));
  if (!user || user.deleted_at === null) return;
  const line = deletionLine(userId, user.deleted_at);
  // An account that came back with a restored backup has an earlier line, and needs one of this time.
  if ((await readFile(path, "utf8").catch(unlessMissing))?.includes(line)) return;
  await appendFile(path, line, { mode: 0o600 });
  await flush(path);
}

/** Deletes the accounts again that were deleted after the backup which was restored. */
export async function deleteListed(deps: Deps): Promise<void> {
  const path = join(deps.dataDir, deletionsFile);
  const text = await readFile(path, "utf8").catch(unlessMissing);
  if (text === undefined) return;
  const listed = parseDeletions(text);
  if (!listed) throw new ConfigError(`${path} is not a list of deleted accounts. The server was not started. Correct it.`);
  const outcomes = { deleted: 0, waiting: 0 };
  for (const id of listed.keys()) {
    const outcome = await deleteOrSuspend(deps, id);
    if (outcome) outcomes[outcome] += 1;
  }
  // Another process that shares the folder may have done the same.
  await rm(path, { force: true });
  deps.log.info(outcomes, "accounts that were deleted after the restored backup were deleted again");
}

/** What is pending in the restored state may keep an account from being deleted: it is suspended, and deleted when that has ended. */
async function deleteOrSuspend(deps: Deps, id: string): Promise<"deleted" | "waiting" | undefined> {
  if ((await tryDelete(deps, id)) === undefined) return "deleted";
  return deps.store.write(async (tx) => {
    const user = await users.find(tx, id);
    if (!user || user.deleted_at !== null) return undefined;
    // A server without an administrator could not be helped.
    if (user.role !== "admin" && user.suspended_at === null) await recorded(tx, "user.suspend", id, () => suspend(tx, user));
    await tx.schedule({ kind: "delete-again", key: id, payload: { userId: id }, runAt: tx.now });
    return "waiting";
  });
}

/** Makes a change of an account, with its entry in the audit log: nobody asked for it now. */
async function recorded(tx: Tx, action: string, id: string, change: () => Promise<unknown>): Promise<void> {
  const trail = new Trail(tx, server, action, { reason: "The account was deleted after the backup that was restored." });
  await trail.changing(id);
  await change();
  await trail.write();
}

/** Why the account cannot be deleted now; undefined when it was. */
async function tryDelete({ store }: Deps, id: string): Promise<string | undefined> {
  try {
    return await store.write(async (tx: Tx) => {
      const user = await users.find(tx, id);
      if (!user || user.deleted_at !== null) return "there is no such account";
      await recorded(tx, "user.delete", id, () => deleteAccount(tx, user, { byOperator: true }));
      return undefined;
    });
  } catch (error) {
    if (error instanceof ApiError && error.status === 409) return error.message;
    throw error;
  }
}

/** Tries once a day to delete an account that was deleted before a restore. */
export async function deleteAgain(job: Job, deps: Deps): Promise<void> {
  const id = String(job.payload.userId);
  const user = await deps.store.read((q) => users.find(q, id));
  if (!user || user.deleted_at !== null) return;
  const reason = await tryDelete(deps, id);
  if (reason !== undefined) throw new RetryLater(deps.clock.now() + deleteAgainMs, reason);
}
