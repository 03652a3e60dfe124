import type { Query } from "../../database/port.ts";
import { insertRow } from "../../database/rows.ts";

export interface PasskeyRow {
  id: string;
  user_id: string;
  /** The id that the authenticator chose, in base64url like the key and the handle. */
  credential_id: string;
  public_key: string;
  /** The signature counter of the last use. 0 for passkeys that do not count, which are synchronized between devices. */
  counter: number;
  /** How browsers reach the authenticator, as JSON. */
  transports: string;
  /** The random bytes by which the authenticator knows the account. They say nothing about it. */
  user_handle: string;
  name: string;
  created_at: number;
  last_used_at: number | null;
  /** When its counter went back. It is not accepted since: it may have been copied. */
  blocked_at: number | null;
}

/** A challenge that a session, or a browser that signs in, is to have signed. Each of them has one at a time. */
export interface ChallengeRow {
  /** What it is bound to. A challenge for one purpose is never found for another. */
  bound_to: string;
  challenge: string;
  /** The account that must answer; null when signing in without a password, where the passkey says whose it is. */
  user_id: string | null;
  /** For a new passkey. */
  user_handle: string | null;
  expires_at: number;
}

export const listForUser = (q: Query, userId: string) =>
  q.all<PasskeyRow>("SELECT * FROM passkeys WHERE user_id = ? ORDER BY created_at, id", userId);

export const count = async (q: Query, userId: string): Promise<number> =>
  (await q.one<{ n: number }>("SELECT COUNT(*) AS n FROM passkeys WHERE user_id = ?", userId))!.n;

export const findByCredential = (q: Query, credentialId: string) =>
  q.one<PasskeyRow>("SELECT * FROM passkeys WHERE credential_id = ?", credentialId);

export const insert = (tx: Query, passkey: PasskeyRow) => insertRow(tx, "passkeys", passkey);

/** Returns 0 when the account has no such passkey. */
export const remove = (tx: Query, id: string, userId: string) =>
  tx.run("DELETE FROM passkeys WHERE id = ? AND user_id = ?", id, userId);

/** Ends what was begun for an account: adding a passkey, and signing in with one after the password or a link. */
export const removeChallenges = (tx: Query, userId: string) => tx.run("DELETE FROM passkey_challenges WHERE user_id = ?", userId);

/** Removes the passkeys of an account and what it was to sign. False when it has none. */
export async function removeAll(tx: Query, userId: string): Promise<boolean> {
  await removeChallenges(tx, userId);
  return (await tx.run("DELETE FROM passkeys WHERE user_id = ?", userId)) > 0;
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
  tx.run("UPDATE passkeys SET blocked_at = ? WHERE id = ? AND blocked_at IS NULL", now, id);

/** Replaces the challenge that has the same binding. */
export async function putChallenge(tx: Query, challenge: ChallengeRow): Promise<void> {
  await tx.run("DELETE FROM passkey_challenges WHERE bound_to = ?", challenge.bound_to);
  await insertRow(tx, "passkey_challenges", challenge);
}

/** Takes a challenge away: it can be answered once, rightly or wrongly. */
export const takeChallenge = (tx: Query, boundTo: string) =>
  tx.one<ChallengeRow>("DELETE FROM passkey_challenges WHERE bound_to = ? RETURNING *", boundTo);
