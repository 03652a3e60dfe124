import type { Query } from "../../database/port.ts";
import { countRows, deleteWhere, findRow, insertRow, insertRows, updateWhere } from "../../database/rows.ts";
import type { Tables } from "../../database/schema/index.ts";
import { sha256 } from "../../lib/secrets.ts";

export type FactorRow = Tables["second_factors"];

export const secretContext = (userId: string) => `second factor ${userId}`;

export const find = (q: Query, userId: string) => findRow(q, "second_factors", { user_id: userId });

export const isEnabled = async (q: Query, userId: string): Promise<boolean> =>
  (await q.one("SELECT user_id FROM second_factors WHERE user_id = ? AND enabled_at IS NOT NULL", userId)) !== undefined;

/** Ends a set-up that was not completed. */
export const removePending = (tx: Query, userId: string) =>
  deleteWhere(tx, "second_factors", { user_id: userId, enabled_at: null });

/** Replaces a factor that was not enabled yet. Returns false when the account has one that is enabled. */
export async function replacePending(tx: Query, factor: FactorRow): Promise<boolean> {
  await removePending(tx, factor.user_id);
  if (await isEnabled(tx, factor.user_id)) return false;
  await insertRow(tx, "second_factors", factor);
  return true;
}

/** Enables the factor whose code was checked. Returns 0 when another set-up was begun since. */
export const enable = (tx: Query, { user_id, created_at }: FactorRow, now: number) =>
  updateWhere(tx, "second_factors", { enabled_at: now }, { user_id, enabled_at: null, created_at });

/** Accepts the code of a time step, once. Returns 0 for a step that is not after the last accepted one. */
export const acceptStep = (tx: Query, userId: string, step: number) =>
  tx.run("UPDATE second_factors SET last_step = ?, wrong_codes = 0 WHERE user_id = ? AND last_step < ?", step, userId, step);

export const countWrong = (tx: Query, userId: string, now: number) =>
  tx.run("UPDATE second_factors SET wrong_codes = wrong_codes + 1, wrong_at = ? WHERE user_id = ?", now, userId);

export const forgetWrong = (tx: Query, userId: string) =>
  updateWhere(tx, "second_factors", { wrong_codes: 0 }, { user_id: userId });

/** Removes the factor with its recovery codes and confirmations. False when the account has none that is enabled. */
export async function remove(tx: Query, userId: string): Promise<boolean> {
  const removed = await tx.run("DELETE FROM second_factors WHERE user_id = ? AND enabled_at IS NOT NULL", userId);
  await deleteWhere(tx, "recovery_codes", { user_id: userId });
  await deleteWhere(tx, "confirmations", { user_id: userId });
  return removed > 0;
}

/** SHA-256 suffices for 100 random bits. The account's id keeps codes of different accounts apart. */
const recoveryHash = (userId: string, code: string) => sha256(`${userId} ${code.replaceAll("-", "")}`);

/** Replaces all recovery codes of an account. */
export async function replaceRecoveryCodes(tx: Query, userId: string, codes: readonly string[], now: number): Promise<void> {
  await deleteWhere(tx, "recovery_codes", { user_id: userId });
  const rows = codes.map((code) => ({ hash: recoveryHash(userId, code), user_id: userId, created_at: now }));
  await insertRows(tx, "recovery_codes", rows);
}

/** Uses up a recovery code. Returns 0 when it is not one of the account, or was used. */
export const useRecoveryCode = (tx: Query, userId: string, code: string, now: number) =>
  tx.run("UPDATE recovery_codes SET used_at = ? WHERE hash = ? AND used_at IS NULL", now, recoveryHash(userId, code));

/** The number of recovery codes that were not used. */
export const countRecoveryCodes = (q: Query, userId: string) =>
  countRows(q, "recovery_codes", { user_id: userId, used_at: null });

/** Records that an API key or session was confirmed, and forgets those of the account that were confirmed until `before` (ms). */
export async function confirm(tx: Query, credentialId: string, userId: string, now: number, before: number): Promise<void> {
  await tx.run(
    "DELETE FROM confirmations WHERE user_id = ? AND (confirmed_at <= ? OR credential_id = ?)",
    userId,
    before,
    credentialId,
  );
  await insertRow(tx, "confirmations", { credential_id: credentialId, user_id: userId, confirmed_at: now });
}

/** When an API key or session was last confirmed (ms). */
export const confirmedAt = async (q: Query, credentialId: string): Promise<number | undefined> =>
  (await q.one<{ confirmed_at: number }>("SELECT confirmed_at FROM confirmations WHERE credential_id = ?", credentialId))
    ?.confirmed_at;
