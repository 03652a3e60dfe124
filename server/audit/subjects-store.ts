import type { Query } from "../database/port.ts";
import { camel } from "../lib/camel.ts";
import { sha256 } from "../lib/secrets.ts";
import { iso } from "../lib/time.ts";

/** The kinds of subjects of audit entries, and the state recorded of each: no secrets or names, and email addresses only as hashes. */
const subjects = {
  user: `SELECT role, admin_scopes, email_key AS email_sha256, email_verified_at, suspended_at,
    CASE WHEN password_hash = '!' THEN 0 ELSE 1 END AS has_password,
    (SELECT f.enabled_at FROM second_factors f WHERE f.user_id = u.id) AS second_factor_enabled_at,
    (SELECT d.changed_at FROM payout_details d WHERE d.user_id = u.id) AS payout_details_changed_at,
    (SELECT COUNT(*) FROM passkeys p WHERE p.user_id = u.id) AS passkeys,
    (SELECT COUNT(*) FROM recovery_codes r WHERE r.user_id = u.id AND r.used_at IS NULL) AS recovery_codes,
    (SELECT MAX(c.confirmed_at) FROM confirmations c WHERE c.user_id = u.id) AS confirmed_at,
    (SELECT COUNT(*) FROM api_keys k WHERE k.user_id = u.id AND k.revoked_at IS NULL) AS keys_not_revoked,
    (SELECT COUNT(*) FROM sessions s WHERE s.user_id = u.id) AS sessions FROM users u WHERE id = ?`,
  session: "SELECT user_id, created_at, expires_at FROM sessions WHERE id = ?",
  passkey: "SELECT user_id, created_at, blocked_at FROM passkeys WHERE id = ?",
  key: "SELECT user_id, prefix, scopes, parent_id, read_only, expires_at, revoked_at FROM api_keys WHERE id = ?",
  budget: `SELECT owner_id, key_id, game_id, period, limit_cents, limit_minutes, limit_slots, approve_over_cents, removed_at
    FROM budgets WHERE id = ?`,
  balance: `SELECT u.id AS user_id, -COALESCE(c.balance, 0) AS credit_cents, -COALESCE(m.balance, 0) AS playtest_minutes
    FROM users u LEFT JOIN ledger_accounts c ON c.id = 'liab:credit:' || u.id LEFT JOIN ledger_accounts m ON m.id = 'min:balance:' || u.id
    WHERE u.id = ?`,
  payment: `SELECT owner_id, amount_cents, status, provider, flag_cleared_at, (SELECT COUNT(*) FROM payment_reversals r
      WHERE r.payment_id = p.id AND r.kind = 'dispute' AND r.state = 'taken' AND r.lifted_at IS NULL) AS open_disputes FROM payments p WHERE id = ?`,
  deposit: `SELECT d.owner_id, d.payment_id, d.chain, d.tx_hash, d.value_cents, d.status
    FROM ledger_transfers t JOIN crypto_deposits d ON t.event_key = 'crypto:' || d.chain || ':' || d.tx_hash || ':' || CAST(d.tx_index AS TEXT)
    WHERE t.id = ?`,
  payout: "SELECT user_id, amount_cents, status FROM payouts WHERE id = ?",
  payout_batch: `SELECT method, min_cents,
    (SELECT COUNT(*) FROM payouts p WHERE p.batch_id = b.id AND p.status = 'pending') AS pending,
    (SELECT COUNT(*) FROM payouts p WHERE p.batch_id = b.id AND p.status = 'completed') AS completed,
    (SELECT COUNT(*) FROM payouts p WHERE p.batch_id = b.id AND p.status = 'failed') AS failed FROM payout_batches b WHERE id = ?`,
  playtest: "SELECT owner_id, status, visibility, approved_at FROM playtests WHERE id = ?",
  slot: `SELECT s.playtest_id, s.owner_id, s.playtester_id, s.status, b.admin_approved_at
    FROM slots s LEFT JOIN submissions b ON b.slot_id = s.id WHERE s.id = ?`,
  publication: "SELECT slot_id, adapter, state, remote_id, give_up_at FROM publications WHERE id = ?",
  publisher: "SELECT adapter, created_at AS connected_at FROM publisher_connections WHERE id = ?",
  tracker: "SELECT owner_id, tracker, site, created_at AS connected_at FROM tracker_connections WHERE id = ?",
  share: `SELECT owner_id, playtest_id, slot_id, clip_id, with_name, with_moments AS with_notes, expires_at,
    CASE WHEN password_hash IS NULL THEN 0 ELSE 1 END AS has_password FROM shares WHERE id = ?`,
  finding: "SELECT owner_id, game_id, number, status FROM findings WHERE id = ?",
  clip: "SELECT owner_id, slot_id, at_ms, end_ms, status FROM clips WHERE id = ?",
  game: "SELECT owner_id, status FROM games WHERE id = ?",
  group:
    "SELECT name, (SELECT COUNT(*) FROM tester_group_members m WHERE m.group_id = g.id) AS members FROM tester_groups g WHERE id = ?",
  agreement: "SELECT game_id, number, sha256 FROM agreements WHERE id = ?",
  invitation: "SELECT role, email_key AS email_sha256, sent_at, expires_at, joined_at, revoked_at FROM invitations WHERE id = ?",
  mail: "SELECT recipient AS email_sha256, tries, sent_at, failed_at FROM mails WHERE id = ?",
  job: "SELECT kind, state, attempts FROM jobs WHERE id = ?",
  category: "SELECT name, slug FROM categories WHERE id = ?",
} as const;

export type SubjectKind = keyof typeof subjects;

export const isSubjectKind = (name: string): name is SubjectKind => Object.hasOwn(subjects, name);

export type State = Readonly<Record<string, unknown>>;

/** The recorded state of a subject, with field names as in the API. Null when the subject does not exist. */
export async function stateOf(q: Query, kind: SubjectKind, id: string): Promise<State | null> {
  const row = await q.one<Record<string, unknown>>(subjects[kind], id);
  return row ? Object.fromEntries(Object.entries(row).map(([column, value]) => [camel(column), shown(column, value)])) : null;
}

const flags = new Set(["has_password", "read_only", "with_name", "with_notes"]);

function shown(column: string, value: unknown): unknown {
  if (column === "email_sha256") return sha256(value as string);
  if (flags.has(column)) return value === 1;
  if (column.endsWith("scopes") && value !== null) return JSON.parse(value as string);
  return column.endsWith("_at") && typeof value === "number" ? iso(value) : value;
}
