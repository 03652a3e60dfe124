import { join } from "node:path";
import { plural } from "../../src/contract/text/plural.ts";
import type { Check, Query } from "../database/port.ts";
import * as jobs from "../jobs/store.ts";
import { fileSize } from "../lib/free-space.ts";
import { leftoversOf, listDeleted } from "../personal/work-store.ts";
import type { Blobs } from "../uploads/blobs.ts";
import { missingBlobs } from "./missing-blobs.ts";
import { dueStrays, findStrays } from "./strays.ts";

const shown = 3;

/** The first of these, and how many more there are. */
const some = (names: readonly string[]) =>
  `${names.slice(0, shown).join(", ")}${names.length > shown ? ` and ${names.length - shown} more` : ""}`;

export async function uploadCheck(q: Query, dataDir: string, blobs: Blobs): Promise<Check> {
  const missing = await missingBlobs(q, blobs);
  if (missing.length === 0) return { name: "uploads", ok: true, detail: "every file that the database refers to is present" };
  const help = `Copy these files from a backup: \`cp BACKUP/blobs/… ${dataDir}/blobs/…\`, or from a tar file: \`tar xf BACKUP.tar -C ${dataDir} blobs/…\`. If the server keeps its files elsewhere, name its data directory with --data, or its configuration with --config.`;
  const place = blobs.remote?.name ?? join(dataDir, "blobs");
  return { name: "uploads", ok: false, detail: `missing in ${place}: ${some(missing)}`, help: blobs.remote ? remoteHelp : help };
}

const remoteHelp =
  "Restore these objects from a copy or an older version of the bucket. If the server keeps its files elsewhere, name its configuration with --config, or set PLAYTEST_BLOBS as the server has it.";

/** Files that wait on this disk for the bucket. */
export async function waitingCheck({ remote }: Blobs): Promise<Check[]> {
  if (!remote) return [];
  const { files, bytes, removals } = await remote.waiting();
  const name = "storing";
  if (files + removals === 0) return [{ name, ok: true, detail: `no file waits for ${remote.name}` }];
  const detail = `${plural(files, "file")} (${fileSize(bytes)}) and ${plural(removals, "removal")} wait for ${remote.name}. A running server moves them`;
  return [{ name, ok: true, warning: true, detail }];
}

/** Files that nothing in the database names. Changes nothing: a running server removes them. */
export async function strayCheck(q: Query, dataDir: string, blobs: Blobs, now: number): Promise<Check> {
  const name = "stray_files";
  const { found, suspicious } = await findStrays(q, { dataDir, blobs }, now);
  if (found.length === 0) return { name, ok: true, detail: "no files that nothing in the database refers to" };
  const bytes = found.reduce((sum, file) => sum + file.bytes, 0);
  const detail = `nothing in the database refers to ${plural(found.length, "file")} (${fileSize(bytes)}): ${some(found.map(({ path }) => path))}`;
  if (!suspicious) {
    const due = dueStrays(found, now).length;
    const later = "8 days after it first found that";
    const when =
      due === found.length
        ? "them within a day"
        : due === 0
          ? `each ${later}`
          : `${due} of them within a day, and each of the others ${later}`;
    return { name, ok: true, warning: true, detail: `${detail}. A running server removes ${when}` };
  }
  const help =
    "That is more than half of the stored files, so the server removes none of them. Find out whether this is the right database, or one that is older than the files.";
  return { name, ok: false, detail, help };
}

/** Whether all is gone that `playtest help security` says goes with an account. */
export async function deletionCheck(q: Query, now: number): Promise<Check> {
  const name = "deleted_accounts";
  const left = await leftoversOf(q, now);
  if (left.length === 0)
    return (await pendingAgain(q)) ?? { name, ok: true, detail: "deleted accounts left nothing behind that should be gone" };
  const detail = `deleted accounts left behind: ${left.map(({ kind, count }) => `${kind} (${count})`).join(", ")}`;
  return { name, ok: false, detail, help: "Queue their removal with `--fix`; the server then removes them when it starts." };
}

/** Accounts that were deleted after the backup which was restored, and that something pending still keeps. */
async function pendingAgain(q: Query): Promise<Check | undefined> {
  const waiting = await jobs.queuedErrors(q, "delete-again");
  if (waiting.length === 0) return undefined;
  const reason = waiting[0]!.last_error ?? "the server deletes them when it starts";
  const count = plural(waiting.length, "account");
  const detail = `waiting to be deleted again after a restore: ${count}, suspended unless an administrator's. Reason: ${reason}`;
  return { name: "deleted_accounts", ok: true, warning: true, detail };
}

/** Queues the removal of what is left of deleted accounts. How many accounts there are. */
export async function queueDeletions(tx: Query, now: number, newId: () => string): Promise<number> {
  if ((await leftoversOf(tx, now)).length === 0) return 0;
  const ids = await listDeleted(tx);
  const kind = "finish-deletion";
  for (const userId of ids)
    await jobs.add(tx, { id: newId(), kind, key: `${kind}:${userId}`, payload: { userId }, runAt: now, now });
  return ids.length;
}
