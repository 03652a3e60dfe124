import type { Query } from "../../database/port.ts";
import { countRows, deleteWhere, findRow, findRows, insertRow, updateWhere } from "../../database/rows.ts";
import type { New, Tables } from "../../database/schema/index.ts";

export type PasskeyRow = Tables["passkeys"];

export type ChallengeRow = Tables["passkey_challenges"];

export const listForUser = (q: Query, userId: string) => findRows(q, "passkeys", { user_id: userId }, "created_at", "id");

export const count = (q: Query, userId: string) => countRows(q, "passkeys", { user_id: userId });

export const findByCredential = (q: Query, credentialId: string) => findRow(q, "passkeys", { credential_id: credentialId });

export const insert = (tx: Query, passkey: New<"passkeys">) => insertRow(tx, "passkeys", passkey);

/** Returns 0 when the account has no such passkey. */
export const remove = (tx: Query, id: string, userId: string) => deleteWhere(tx, "passkeys", { id, user_id: userId });

/** Ends what was begun for an account: adding a passkey, and signing in with one after the password or a link. */
export const removeChallenges = (tx: Query, userId: string) => deleteWhere(tx, "passkey_challenges", { user_id: userId });

/** Removes the passkeys of an account and what it was to sign. False when it has none. */
export async function removeAll(tx: Query, userId: string): Promise<boolean> {
  await removeChallenges(tx, userId);
  return (await deleteWhere(tx, "passkeys", { user_id: userId })) > 0;
}

/** Records a use. Returns 0 when the passkey was removed or blocked, or its counter is not higher than at the last use. */
export const recordUse = (tx: Query, id: string, counter: number, now: number) =>
  tx.run(
    "UPDATE passkeys SET counter = ?, last_used_at = ? WHERE id = ? AND blocked_at IS NULL AND (counter < ? OR counter = 0 AND ? = 0)",
    counter,
    now,
    id,
    counter,
    counter,
  );

/** Returns 0 when it is blocked already or was removed. */
export const block = (tx: Query, id: string, now: number) =>
  updateWhere(tx, "passkeys", { blocked_at: now }, { id, blocked_at: null });

/** Replaces the challenge that has the same binding. */
export async function putChallenge(tx: Query, challenge: ChallengeRow): Promise<void> {
  await deleteWhere(tx, "passkey_challenges", { bound_to: challenge.bound_to });
  await insertRow(tx, "passkey_challenges", challenge);
}

/** Takes a challenge away: it can be answered once, rightly or wrongly. */
export const takeChallenge = (tx: Query, boundTo: string) =>
  tx.one<ChallengeRow>("DELETE FROM passkey_challenges WHERE bound_to = ? RETURNING *", boundTo);
