import type * as users from "../accounts/users-store.ts";
import * as backups from "../admin/backups-store.ts";
import type { ReadTx, Tx } from "../app/tx.ts";
import { end } from "../billing/subscriptions/service.ts";
import * as subscriptions from "../billing/subscriptions/store.ts";
import { scheduleDiscardFiles } from "../jobs/discard-files.ts";
import { conflict } from "../lib/api-error.ts";
import { removeAllOf } from "../playtests/publications/service.ts";
import { declineAll } from "../playtests/teams/changes.ts";
import * as search from "../search/store.ts";
import { removeClipsOf, removeReelsNaming } from "../sharing/clips/service.ts";
import { removeStillsOf } from "../sharing/stills/service.ts";
import { erase, hasOtherFullAdmin } from "./erase-store.ts";
import { obstaclesOf } from "./obstacles-store.ts";
import { removeWork } from "./work.ts";

/** By then (ms) the request has listed the account, unless it could not. */
const listAfterMs = 60_000;
/**
 * By then (ms) no process of an older version serves any more. When one deleted the account, what only the newer version stores of it is
 * removed then.
 */
const upgradedMs = 86_400_000;

/** `byOperator`: money that is left and a running plan are no obstacle. */
interface By {
  byOperator: boolean;
}

/** 409 while money or work of an account is pending, when it is deleted, and for the last administrator who can do everything. */
export async function requireDeletable(q: ReadTx, user: users.UserRow, { byOperator }: By): Promise<void> {
  if (user.deleted_at !== null) throw conflict("This account is deleted already. Nothing was changed.");
  if (user.role === "admin" && !(await hasOtherFullAdmin(q, user.id, q.now)))
    throw conflict(
      "No other administrator with every scope has an API key that works or a password. Nothing was deleted. Add one first.",
    );
  const obstacles = (await obstaclesOf(q, user.id)).filter(({ isMoney }) => !(byOperator && isMoney));
  if (obstacles.length > 0)
    throw conflict(`The account cannot be deleted yet. Nothing was deleted. ${obstacles.map(({ text }) => text).join(" ")}`);
}

/** Deletes an account: its personal data goes, and the row stays for the ledger and for others. 409 as `requireDeletable`. */
export async function deleteAccount(tx: Tx, user: users.UserRow, by: By): Promise<void> {
  if (by.byOperator) await endPlan(tx, user.id);
  await requireDeletable(tx, user, by);
  await declineAll(tx, user.id);
  await removeAllOf(tx, user.id);
  await removeClipsOf(tx, user.id);
  await removeReelsNaming(tx, user.id);
  await removeStillsOf(tx, user.id);
  const { id, role, email, display_name: displayName, company_name: companyName } = user;
  const now = tx.now;
  search.removeOwner(tx, id);
  await search.removeName(tx, id);
  const mails = await erase(tx, { id, role, email, displayName, companyName }, now);
  await scheduleDiscardFiles(tx, { mails });
  await removeWork(tx, id);
  if (await makesBackups(tx))
    await tx.schedule({ kind: "list-deletion", key: id, payload: { userId: id }, runAt: now + listAfterMs });
  await tx.schedule({ kind: "finish-deletion", key: id, payload: { userId: id }, runAt: now + upgradedMs });
}

/** Whether this process or another makes backups, beside which deleted accounts are listed. */
const makesBackups = async (tx: Tx) => tx.config.backup.to !== null || (await backups.find(tx)) !== undefined;

async function endPlan(tx: Tx, ownerId: string): Promise<void> {
  const running = await subscriptions.findRunning(tx, ownerId);
  if (running) await end(tx, running, "cancelled");
}
