import { existsSync } from "node:fs";
import * as state from "../../admin/backups-store.ts";
import type { Deps } from "../../app/deps.ts";
import { type Job, RetryLater } from "../../jobs/job.ts";
import type { BackUp, BackupOrder, MadeBackup } from "./types.ts";

/** How soon (ms) a backup that failed is tried again. */
const retryMs = 15 * 60_000;

const outage = "backing up";

/**
 * Starts the backups of the configuration, or ends those that an earlier start began, unless another process on the database may make them.
 */
export function startBackups({ store, config }: Deps): Promise<void> {
  const { to, everyMs } = config.backup;
  return store.write(async (tx) => {
    if (to === null) return void (store.shared || (await state.forget(tx)));
    const known = await state.find(tx);
    const same: Omit<state.BackupState, "everyMs"> = known?.to === to ? known : { to, since: tx.now };
    await state.save(tx, { ...same, everyMs });
    const runAt = same.doneAt === undefined ? tx.now : same.doneAt + everyMs;
    await tx.schedule({ kind: "back-up", key: "all", payload: {}, runAt });
  });
}

/** Makes a backup and removes older ones. Of several processes one does it. */
export async function backUp(job: Job, deps: Deps): Promise<void> {
  const { to, everyMs, keep } = deps.config.backup;
  if (to === null || !deps.backUp) {
    // Where processes share the database, none has made a backup since the job was due.
    if (deps.store.shared) deps.log.warn({}, "no process makes backups any more");
    return deps.store.write(async (tx) => {
      await state.forget(tx);
      await job.done(tx);
    });
  }
  const began = deps.clock.now();
  const made = await attempt(deps.backUp, { to, keep, signal: deps.draining });
  if (made instanceof Error && deps.draining.aborted) throw new RetryLater(began, "the server stopped");
  if (made instanceof Error) deps.outages.failed(outage, made.message);
  else report(deps, made);
  await deps.store.write(async (tx) => {
    const { failedAt = began, error: _, ...known } = (await state.find(tx)) ?? { to, everyMs, since: began };
    if (made instanceof Error) await state.save(tx, { ...known, failedAt, error: made.message });
    else await state.save(tx, { ...known, doneAt: began, file: made.file });
    await job.reschedule(tx, made instanceof Error ? tx.now + Math.min(retryMs, everyMs) : began + everyMs);
  });
}

async function attempt(make: BackUp, order: BackupOrder): Promise<MadeBackup | Error> {
  if (!existsSync(order.to)) return new Error(`${order.to} does not exist. Create it, or mount its disk.`);
  try {
    return await make(order);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function report({ log, outages }: Deps, { file, bytes, newBytes, removed, missing }: MadeBackup): void {
  outages.worked(outage);
  log.info({ file, bytes, newBytes, removed }, "backed up");
  if (missing.length > 0)
    log.warn({ file, missing: missing.length }, "files in the database are missing on the server, and in its backup");
}
