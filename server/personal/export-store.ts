import type { Query } from "../database/port.ts";
import { camel } from "../lib/camel.ts";
import { iso } from "../lib/time.ts";

type Row = Record<string, unknown>;

/**
 * What is kept about an account, by kind: never a secret, nor what only concerns somebody else. Each `?` is the account's id.
 * `test/store/exported-columns.test.ts` says of every column that is not here why.
 */
export const kinds = {
  apiKeys: `SELECT id, name, prefix, scopes, parent_id, rotated_from, replaces, read_only AS is_read_only, client_id, toolsets, created_at, last_used_at,
    expires_at, revoked_at FROM api_keys WHERE user_id = ?`,
  connectionRequests: `SELECT id, client_id, client_name, redirect_uri, toolsets, key_id, created_at, expires_at, decided_at, used_at, key_expires_at
    FROM connection_requests WHERE user_id = ?`,
  budgets: `SELECT id, key_id, game_id, period, limit_cents, limit_minutes, limit_slots, approve_over_cents, created_at, updated_at, removed_at
    FROM budgets WHERE owner_id = ?`,
  orderApprovals: `SELECT id, key_id, game_id, method, total_cents, status, reason, playtest_id, created_at, expires_at, decided_at,
    decided_by FROM order_approvals WHERE owner_id = ?`,
  budgetEntries: `SELECT e.id, e.budget_id, e.playtest_id, e.payment_id, e.kind, e.cents, e.minutes, e.slots, e.created_at
    FROM budget_entries e JOIN budgets b ON b.id = e.budget_id WHERE b.owner_id = ?`,
  sessions: "SELECT id, address, agent, created_at, last_used_at, expires_at FROM sessions WHERE user_id = ?",
  secondFactor: "SELECT created_at, enabled_at FROM second_factors WHERE user_id = ?",
  recoveryCodes: "SELECT created_at, used_at FROM recovery_codes WHERE user_id = ?",
  passkeys: "SELECT id, name, created_at, last_used_at, blocked_at FROM passkeys WHERE user_id = ?",
  confirmations: "SELECT credential_id, confirmed_at FROM confirmations WHERE user_id = ?",
  emailChanges: "SELECT email, created_at, expires_at, from_confirmed_at, to_confirmed_at FROM email_changes WHERE user_id = ?",
  testerGroups:
    "SELECT g.name, m.created_at FROM tester_group_members m JOIN tester_groups g ON g.id = m.group_id WHERE m.user_id = ?",
  friendProfile: "SELECT handle, available AS is_available, created_at, updated_at FROM playtester_profiles WHERE user_id = ?",
  profileTraits: "SELECT kind, value FROM playtester_traits WHERE user_id = ?",
  friends: "SELECT id, other_id, status, created_at, updated_at FROM friends WHERE user_id = ?",
  friendRequests: "SELECT other_id, told_at, declined_at FROM friend_requests WHERE user_id = ?",
  teams: `SELECT m.id, m.slot_id, m.seat, m.status, m.share_cents, m.answer_by, m.created_at, m.updated_at, t.playtest_id, t.claimant_id,
      t.status AS team_status, t.confirm_by, t.ended_at
    FROM team_members m JOIN teams t ON t.id = m.team_id WHERE m.user_id = ?`,
  consents: `SELECT c.id, a.number, a.sha256, a.game_id, a.text, c.address, c.created_at FROM consents c JOIN agreements a ON a.id = c.agreement_id
    WHERE c.user_id = ?`,
  agreements:
    "SELECT a.id, a.game_id, a.number, a.text, a.sha256, a.created_at FROM agreements a JOIN games g ON g.id = a.game_id WHERE g.owner_id = ?",
  payoutDetails: "SELECT method, masked, changed_at FROM payout_details WHERE user_id = ?",
  games: `SELECT id, name, description, instructions, build_url, build_id, cover_image_url, external_url, status, devices, platforms, languages, created_at,
    updated_at FROM games WHERE owner_id = ?`,
  gameCategories: `SELECT c.game_id, k.name FROM game_categories c JOIN categories k ON k.id = c.category_id JOIN games g ON g.id = c.game_id
    WHERE g.owner_id = ?`,
  builds: `SELECT b.id, b.game_id, b.build_url, b.filename, b.size, b.sha256, b.content_sha256, b.version, b.channel, b.notes, b.created_at
    FROM builds b JOIN games g ON g.id = b.game_id WHERE g.owner_id = ?`,
  playtests: `SELECT id, game_id, ref, status, visibility, quantity, duration_minutes, player_count, cost_per_slot_cents, payout_cents,
    notes_for_testers, qualifications, panel, target_countries, target_languages, target_devices, target_ages, targeting_type, targeting_scope,
    past_playtester_scope, targeted_playtester_id, selection_mode, closes_at, scheduled_at, is_free_public_trial, approved_at,
    uses_keys AS is_with_keys, paid_with, payment_id, pay_by, all_in_at, created_at, updated_at FROM playtests WHERE owner_id = ?`,
  slots: `SELECT s.id, s.playtest_id, s.game_id, s.status, s.retry_of, s.replaces, s.scheduled_at, s.proposed_at, s.accept_by, s.reserved_at,
      s.deadline_at, s.submitted_at, s.ended_at, s.excused AS is_excused, s.build_at, s.created_at, v.filename AS video_filename,
      v.content_type AS video_content_type, v.video_file_size, v.video_duration_ms, v.video_facts, v.notes, v.device, v.admin_approved_at,
      v.published_at, v.published_url, r.score, r.comment, r.created_at AS rated_at, j.reason AS rejection_reason,
      j.allow_retry AS is_retry_allowed
    FROM slots s LEFT JOIN submissions v ON v.slot_id = s.id LEFT JOIN ratings r ON r.slot_id = s.id LEFT JOIN rejections j ON j.slot_id = s.id
    WHERE s.owner_id = ? OR s.playtester_id = ?`,
  publicationConsents:
    "SELECT playtest_id, version, adapter, name, accepted_at, withdrawn_at, withdrawn_reason FROM publication_consents WHERE playtester_id = ?",
  publications: `SELECT c.id, c.slot_id, c.adapter, c.state, c.remote_id, c.reason, c.created_at, c.updated_at
    FROM publications c JOIN slots s ON s.id = c.slot_id WHERE s.owner_id = ? OR s.playtester_id = ?`,
  blockedReports: `SELECT b.id, b.slot_id, b.reason_code, b.notes, b.outcome, b.message, b.reported_at, b.answer_by, b.resolved_at
    FROM blocked_reports b JOIN slots s ON s.id = b.slot_id WHERE s.owner_id = ? OR s.playtester_id = ?`,
  transcripts: `SELECT t.id, t.slot_id, t.status, t.selected_version, t.key_takeaways, t.created_at, t.updated_at
    FROM transcriptions t JOIN slots s ON s.id = t.slot_id WHERE s.owner_id = ? OR s.playtester_id = ?`,
  moments: `SELECT id, slot_id, playtest_id, game_id, build_id, at_ms, end_ms, kind, severity, body, tags, created_at, updated_at FROM moments WHERE owner_id = ?`,
  findings: `SELECT id, game_id, number, title, body, kind, severity, tags, status, merged_into, closed_at, created_at, updated_at FROM findings WHERE owner_id = ?`,
  findingIssues: `SELECT finding_id, tracker, target, labels, assignee, priority, issue_type, share_id, state, remote_key, url, error, created_at, updated_at
    FROM finding_issues WHERE owner_id = ?`,
  trackers: "SELECT tracker, site, account, created_at FROM tracker_connections WHERE owner_id = ?",
  findingEvidence:
    "SELECT id, finding_id, slot_id, moment_id, at_ms, end_ms, quote, created_at FROM finding_evidence WHERE owner_id = ?",
  findingChanges: "SELECT id, kind, from_id, to_id, evidence_ids, created_at, undone_at FROM finding_changes WHERE owner_id = ?",
  clips: `SELECT id, slot_id, playtest_id, game_id, name, at_ms, end_ms, status, size, captions AS is_with_captions, with_name AS is_with_name,
    limited_by, created_at, updated_at FROM clips WHERE owner_id = ?`,
  clipParts: `SELECT p.clip_id, p.position, p.slot_id, p.at_ms, p.end_ms, p.title, p.facts FROM clip_parts p JOIN clips c ON c.id = p.clip_id
    WHERE c.owner_id = ?`,
  stills: `SELECT id, slot_id, moment_id, clip_id, at_ms, status, size, thumbnail_size, limited_by, created_at, updated_at
    FROM stills WHERE owner_id = ?`,
  shares: `SELECT id, playtest_id, slot_id, clip_id, moment_ids, with_name AS is_with_name, with_moments AS is_with_notes, views, last_viewed_at, created_at, expires_at
    FROM shares WHERE owner_id = ?`,
  applications: `SELECT id, playtest_id, status, qualifications_response, created_at, reviewed_at, assigned_slot_id
    FROM applications WHERE playtester_id = ?`,
  uploads: `SELECT id, kind, game_id, slot_id, size, duration_ms, filename, filetype, sha256, metadata, facts AS video_facts, status, created_at,
    completed_at, expires_at FROM uploads WHERE user_id = ?`,
  conversations: `SELECT id, owner_id, playtester_id, CASE WHEN owner_id = ? THEN blocked_by_owner ELSE blocked_by_playtester END AS is_blocked,
    created_at, last_message_at FROM conversations WHERE owner_id = ? OR playtester_id = ?`,
  chatMessages: `SELECT m.id, m.conversation_id, m.sender_type, m.content, m.read_at, m.created_at,
      CASE WHEN m.sender_id <> ? THEN m.mailed_at END AS mailed_at
    FROM messages m JOIN conversations c ON c.id = m.conversation_id WHERE c.owner_id = ? OR c.playtester_id = ?`,
  payments: `SELECT id, amount_cents, status, provider, external_id, purpose, playtest_id, subscription_id, return_url, description, created_at,
    expires_at, completed_at, updated_at FROM payments WHERE owner_id = ?`,
  disputesAndRefunds: `SELECT r.id, r.payment_id, r.kind, r.cents AS amount_cents, r.state, r.created_at, r.updated_at, r.lifted_at
    FROM payment_reversals r JOIN payments p ON p.id = r.payment_id WHERE p.owner_id = ?`,
  billingDetails: "SELECT name, address, country, tax_number, updated_at FROM billing_details WHERE user_id = ?",
  invoices:
    "SELECT number, kind, payment_id, total_cents, document, created_at AS issued_at FROM billing_documents WHERE owner_id = ?",
  subscriptions: `SELECT id, plan_key, status, provider, checkout_expires_at, anchor_at, period_index, current_period_start, current_period_end,
    failed_renewals, cancel_at_period_end AS is_cancelled_at_period_end, cancelled_at, ended_at, ended_reason, created_at, updated_at
    FROM subscriptions WHERE owner_id = ?`,
  cryptoPayments: `SELECT payment_id, id, playtest_id, chain, currency, receiver, asset, amount_atomic, amount_cents, rate, paid AS is_paid, payer,
    created_at, expires_at
    FROM crypto_quotes WHERE owner_id = ?`,
  // Its owner may only have named the transaction: a proof, and what was decided for another account, is of whoever sent it.
  cryptoDeposits: `SELECT chain, tx_hash, tx_index, currency, receiver, amount_atomic, value_cents, rate, status, note, sender, payment_id, seen_at,
    CASE WHEN proved_by = owner_id THEN proof END AS proof, CASE WHEN proved_by = owner_id THEN proved_at END AS proved_at, resolved_at,
    CASE WHEN status = 'refunded' OR resolved_by = owner_id THEN resolution END AS resolution
    FROM crypto_deposits WHERE owner_id = ?`,
  cryptoProofs: "SELECT chain, tx_hash, created_at FROM crypto_proofs WHERE owner_id = ?",
  signedPayments: `SELECT id, quote_id, chain, asset, payer, nonce, amount_atomic, valid_before, status, tx_hash, error, created_at, updated_at
    FROM signed_payments WHERE owner_id = ?`,
  payouts:
    "SELECT id, amount_cents, status, reference, method, masked, created_at, completed_at, failed_at, failure FROM payouts WHERE user_id = ?",
  ledger: `SELECT p.id, t.event_key, t.asset, p.account_id, p.amount, t.note, p.created_at FROM ledger_postings p
    JOIN ledger_transfers t ON t.id = p.transfer_id
    WHERE p.account_id IN ('liab:credit:' || ?, 'liab:payable:' || ?, 'assets:receivable:' || ?, 'min:balance:' || ?, 'min:receivable:' || ?)`,
  webhooks: `SELECT id, url, format, events, is_active, failure_count, last_failure_at, created_at, disabled_at, deleted_at
    FROM webhooks WHERE owner_id = ?`,
  webhookDeliveries: `SELECT d.id, d.webhook_id, d.event_id, d.event, d.state, d.status_code, d.attempt_count, d.last_error, d.created_at,
      d.next_retry_at, d.delivered_at
    FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id WHERE w.owner_id = ?`,
  notifications: "SELECT id, event_id, type, title, body, read_at, created_at FROM notifications WHERE user_id = ?",
  notificationSettings: "SELECT kind, mail, updated_at FROM notification_settings WHERE user_id = ?",
  knownOffers: "SELECT playtest_id, created_at FROM known_offers WHERE user_id = ?",
  invitations: `SELECT i.id, i.email, i.role, i.name, i.created_at, i.sent_at, i.expires_at, i.joined_at, i.revoked_at
    FROM invitations i JOIN users u ON u.id = ? WHERE i.email_key = u.email_key`,
  // Without their texts, which contain links that work as passwords do.
  emails: `SELECT m.id, m.recipient, m.subject, m.kind, m.created_at, m.sent_at, m.failed_at
    FROM mails m JOIN users u ON u.id = ? WHERE m.user_id = u.id OR LOWER(m.recipient) = u.email_key`,
  // The address, key and session of an administrator who changed the account are theirs.
  auditEntries: `SELECT id, created_at, CASE WHEN actor_id = ? THEN key_id END AS key_id, CASE WHEN actor_id = ? THEN session_id END AS session_id,
    CASE WHEN COALESCE(actor_id, target_id) = ? THEN address END AS address, action, target_kind, target_id, details, state_before, state_after
    FROM audit_entries WHERE actor_id = ? OR target_id = ?`,
} as const;

export const account = `SELECT id, email, role, display_name, company_name, website_url, gaming_experience, published_name, time_zone, email_verified_at, validated_at, suspended_at, created_from,
  created_with, admin_scopes, created_at, updated_at FROM users WHERE id = ?`;

/** Everything that is kept about an account: its profile, and lists of rows by kind. */
export async function exportOf(q: Query, id: string): Promise<{ account: Row; records: Record<string, Row[]> }> {
  const records: Record<string, Row[]> = {};
  for (const [kind, sql] of Object.entries(kinds)) {
    const ids = Array<string>(sql.split("?").length - 1).fill(id);
    records[kind] = (await q.all<Row>(`${sql} ORDER BY 1, 2`, ...ids)).map(shown);
  }
  return { account: shown((await q.one<Row>(account, id))!), records };
}

const json = new Set([
  "scopes",
  "admin_scopes",
  "toolsets",
  "evidence_ids",
  "moment_ids",
  "key_takeaways",
  "metadata",
  "video_facts",
  "devices",
  "platforms",
  "languages",
  "target_countries",
  "target_languages",
  "target_devices",
  "target_ages",
  "tags",
  "labels",
  "events",
  "document",
  "details",
  "state_before",
  "state_after",
]);
const times = new Set([
  "accept_by",
  "answer_by",
  "confirm_by",
  "current_period_end",
  "current_period_start",
  "pay_by",
  "valid_before",
]);

/** A row with names and times as in the API, and JSON that was stored as text. */
const shown = (row: Row): Row =>
  Object.fromEntries(
    Object.entries(row).map(([column, value]) => {
      if (json.has(column) && typeof value === "string") return [camel(column), JSON.parse(value)];
      if (column.startsWith("is_") && value !== null) return [camel(column), value === 1];
      const isTime = column.endsWith("_at") || times.has(column);
      return [camel(column), isTime && typeof value === "number" ? iso(value) : value];
    }),
  );
