import type { Role } from "../../src/contract/endpoint.ts";
import type { EventData } from "../../src/contract/events/payloads.ts";
import { noPassword } from "../accounts/service.ts";
import { ownRowDeletions } from "../accounts/users-store.ts";
import type { Query } from "../database/port.ts";
import { findRows, updateRow } from "../database/rows.ts";
import { deletedName } from "../events/notices.ts";
import { deletedAddress } from "../mail/queue.ts";

/** In the place of the name of a game that no playtester ever had to do with. */
const deletedGame = "Deleted game";

/** In the place of the address of a build, which may name its owner. */
const noAddress = "https://deleted.invalid/";

/** Rows that nobody but the account needs. The account's id is each `?`. */
const removed = [
  "DELETE FROM order_approvals WHERE owner_id = ?",
  ...ownRowDeletions,
  "DELETE FROM webhook_attempts WHERE delivery_id IN (SELECT d.id FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id WHERE w.owner_id = ?)",
  "DELETE FROM webhook_deliveries WHERE webhook_id IN (SELECT id FROM webhooks WHERE owner_id = ?)",
  "DELETE FROM webhooks WHERE owner_id = ?",
  "DELETE FROM events WHERE account_id = ?",
  "DELETE FROM event_counters WHERE account_id = ?",
  "DELETE FROM payout_details WHERE user_id = ?",
  "DELETE FROM billing_details WHERE user_id = ?",
  "DELETE FROM email_changes WHERE user_id = ?",
  "DELETE FROM stills WHERE owner_id = ?",
  "DELETE FROM finding_issues WHERE owner_id = ?",
  "DELETE FROM tracker_connections WHERE owner_id = ?",
  "DELETE FROM finding_changes WHERE owner_id = ?",
  "DELETE FROM finding_evidence WHERE owner_id = ?",
  "DELETE FROM findings WHERE owner_id = ?",
  "DELETE FROM moments WHERE owner_id = ?",
  "DELETE FROM shares WHERE owner_id = ?",
  "DELETE FROM clip_parts WHERE clip_id IN (SELECT id FROM clips WHERE owner_id = ?)",
  "DELETE FROM clips WHERE owner_id = ?",
  "DELETE FROM video_signals WHERE slot_id IN (SELECT s.id FROM slots s WHERE s.playtester_id = ? AND NOT EXISTS (SELECT 1 FROM submissions v WHERE v.slot_id = s.id))",
  "DELETE FROM crypto_proofs WHERE owner_id = ?",
  "DELETE FROM covers WHERE game_id IN (SELECT id FROM games WHERE owner_id = ?)",
  "DELETE FROM playtest_keys WHERE playtest_id IN (SELECT id FROM playtests WHERE owner_id = ?)",
];

/** Fields of rows that others need, or that the ledger refers to. */
const emptied = [
  "UPDATE publication_consents SET name = NULL, withdrawn_reason = NULL WHERE playtester_id = ?",
  "UPDATE consents SET address = NULL WHERE user_id = ?",
  `UPDATE team_members SET status = 'declined', answer_by = NULL WHERE user_id = ? AND (status = 'asked' OR (status = 'confirmed'
    AND EXISTS (SELECT 1 FROM teams t WHERE t.id = team_members.team_id AND t.status = 'asking')))`,
  "UPDATE applications SET qualifications_response = NULL WHERE playtester_id = ?",
  "UPDATE applications SET status = 'withdrawn' WHERE playtester_id = ? AND status = 'pending'",
  `UPDATE submissions SET filename = CASE content_type WHEN 'video/webm' THEN 'video.webm' WHEN 'video/x-matroska' THEN 'video.mkv'
    WHEN 'video/quicktime' THEN 'video.mov' ELSE 'video.mp4' END WHERE slot_id IN (SELECT id FROM slots WHERE playtester_id = ?)`,
  "UPDATE uploads SET filename = 'deleted', metadata = '{}' WHERE user_id = ?",
  `UPDATE games SET status = 'suspended', description = NULL, instructions = NULL, cover_image_url = NULL, external_url = NULL,
    build_url = '${noAddress}' WHERE owner_id = ?`,
  // Nobody has it in their history.
  `UPDATE games SET name = '${deletedGame}' WHERE owner_id = ? AND NOT EXISTS (
    SELECT 1 FROM playtests p JOIN slots s ON s.playtest_id = p.id WHERE p.game_id = games.id AND s.playtester_id IS NOT NULL)
    AND NOT EXISTS (SELECT 1 FROM playtests p JOIN applications a ON a.playtest_id = p.id WHERE p.game_id = games.id)`,
  "UPDATE publications SET reason = NULL WHERE state = 'removed' AND slot_id IN (SELECT id FROM slots WHERE owner_id = ?)",
  "UPDATE ratings SET comment = NULL WHERE slot_id IN (SELECT id FROM slots WHERE owner_id = ?)",
  "UPDATE playtests SET ref = NULL, notes_for_testers = NULL, qualifications = NULL WHERE owner_id = ?",
  "UPDATE payouts SET masked = NULL, details = NULL, failure = NULL WHERE user_id = ?",
  "UPDATE payments SET return_url = NULL WHERE owner_id = ?",
  "UPDATE subscriptions SET card = NULL WHERE owner_id = ?",
];

export interface Erased {
  id: string;
  role: Role;
  email: string;
  displayName: string;
  companyName: string;
}

/** Removes the personal data of an account. What stays: see `playtest help security`. Returns the ids of the emails that it removed. */
export async function erase(tx: Query, account: Erased, now: number): Promise<string[]> {
  const mails = await removeMails(tx, account);
  await tx.run("DELETE FROM invitations WHERE email_key = ?", account.email.trim().toLowerCase());
  await unname(tx, account);
  await eraseRows(tx, account.id);
  const address = deletedAddress(account.id);
  await tx.run(
    `UPDATE users SET email = ?, email_key = ?, password_hash = '${noPassword}', display_name = ?, company_name = ?, website_url = NULL,
      gaming_experience = NULL, time_zone = NULL, created_from = NULL, created_with = NULL, suspended_at = COALESCE(suspended_at, ?), deleted_at = ?, updated_at = ?
      WHERE id = ?`,
    address,
    address,
    deletedName,
    deletedName,
    now,
    now,
    now,
    account.id,
  );
  return mails;
}

/** Removes and empties the rows of an account. Can be repeated. */
export async function eraseRows(tx: Query, id: string): Promise<void> {
  for (const sql of [...removed, ...emptied]) await tx.run(sql, id);
}

/** Removes the emails to an account, also to an address that it did not confirm, and the jobs that would send them. */
async function removeMails(tx: Query, { id, email }: Erased): Promise<string[]> {
  const own = `LOWER(recipient) = ? OR user_id = ? OR LOWER(recipient) IN (SELECT LOWER(email) FROM email_changes WHERE user_id = ?)`;
  const values = [email.trim().toLowerCase(), id, id];
  const found = await tx.all<{ id: string }>(`SELECT id FROM mails WHERE ${own}`, ...values);
  const jobs = `unique_key IN (SELECT 'send-mail:' || id FROM mails WHERE ${own})`;
  // One that runs finds its email gone, and ends by itself. Why it failed before may name the address.
  await tx.run(`UPDATE jobs SET last_error = NULL WHERE ${jobs}`, ...values);
  await tx.run(`DELETE FROM jobs WHERE lease_token IS NULL AND ${jobs}`, ...values);
  await tx.run(`DELETE FROM mails WHERE ${own}`, ...values);
  return found.map((mail) => mail.id);
}

/** SQL: notifications of people who had to do with the account (each `?`), and of friends (the last `?`), whose event names it. */
const noticesOfOthers = (friends: readonly string[]) => `event_id IN (SELECT e.id FROM events e
  WHERE e.data LIKE '%' || ? || '%' AND e.account_id IN (
  SELECT owner_id FROM slots WHERE playtester_id = ? UNION SELECT playtester_id FROM slots WHERE owner_id = ?
  UNION SELECT p.owner_id FROM applications a JOIN playtests p ON p.id = a.playtest_id WHERE a.playtester_id = ?
  UNION SELECT a.playtester_id FROM applications a JOIN playtests p ON p.id = a.playtest_id WHERE p.owner_id = ?
  UNION SELECT y.user_id FROM team_members y JOIN team_members m ON m.team_id = y.team_id WHERE m.user_id = ?
  UNION SELECT f.user_id FROM friends f WHERE f.other_id = ?
  UNION SELECT r.user_id FROM friend_requests r WHERE r.other_id = ?
  UNION SELECT u.id FROM users u WHERE u.role = 'admin' OR u.id IN (?${", ?".repeat(friends.length)})))`;

/**
 * The playtesters with whom the account was ever friends. No row says so once a friendship has ended, but one of the two was told of the
 * request, and the other that it was accepted.
 */
async function everFriends(q: Query, id: string): Promise<string[]> {
  const told = await findRows(q, "events", { account_id: id, kind: ["friend.requested", "friend.accepted"] }, "created_at", "id");
  return [...new Set(told.map(({ data }) => (JSON.parse(data) as EventData<"friend.requested">).playerId))];
}

/** Takes the name out of the notifications of others. Those about an owner name playtesters, but for messages. */
async function unname(tx: Query, { id, role, displayName, companyName }: Erased): Promise<void> {
  const friends = await everFriends(tx, id);
  const about = `${noticesOfOthers(friends)}${role === "game_owner" ? " AND type = 'chat.message'" : ""}`;
  const ids = Array.from(about.matchAll(/\?/g), () => id).toSpliced(-friends.length, friends.length, ...friends);
  await tx.run(`UPDATE notifications SET body = unnamed_body WHERE unnamed_body <> '' AND ${about}`, ...ids);
  // Those of earlier versions do not say where the name is.
  for (const name of new Set([displayName, companyName])) {
    const rows = await tx.all<{ id: string; body: string }>(
      `SELECT id, body FROM notifications WHERE unnamed_body = '' AND REPLACE(body, ?, '') <> body AND ${about}`,
      name,
      ...ids,
    );
    for (const row of rows) await updateRow(tx, "notifications", row.id, { body: withoutWord(row.body, name) });
  }
}

/** A text with `deletedName` where the name is a word of its own, not a part of one. */
function withoutWord(text: string, name: string): string {
  const word = name.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  return text.replace(new RegExp(`(?<![\\p{L}\\p{N}])${word}(?![\\p{L}\\p{N}])`, "gu"), deletedName);
}

/**
 * Whether another admin can do everything at `now` (ms): is not suspended, has every scope, and a key that works with all of them or a
 * password, which makes one.
 */
export const hasOtherFullAdmin = async (q: Query, id: string, now: number): Promise<boolean> =>
  (await q.one(
    `SELECT u.id FROM users u WHERE u.role = 'admin' AND u.id <> ? AND u.suspended_at IS NULL
      AND (u.admin_scopes IS NULL OR u.admin_scopes LIKE '%"admin"%') AND (u.password_hash <> '${noPassword}' OR EXISTS (
        SELECT 1 FROM api_keys k WHERE k.user_id = u.id AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > ?)
          AND k.scopes LIKE '%"admin"%' AND k.read_only = 0)) LIMIT 1`,
    id,
    now,
  )) !== undefined;
