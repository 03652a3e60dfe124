import type { Role } from "../../src/contract/endpoint.ts";
import { emailKey, type UserRow } from "../accounts/users-store.ts";
import { containing, contains } from "../database/containing.ts";
import { type Page, paged } from "../database/keyset.ts";
import type { Query, Value } from "../database/port.ts";
import type { Left, Tables } from "../database/schema/index.ts";

/** A free trial, or a video of one, that needs an admin's approval. */
export interface ApprovalRow
  extends Pick<Tables["slots"], "id" | "playtest_id" | "game_id" | "owner_id" | "created_at">,
    Left<Pick<Tables["submissions"], "slot_id" | "blob_key" | "filename" | "content_type">> {
  kind: "playtest" | "slot";
  game_name: string;
  owner_name: string;
}

const approvals = `(
  SELECT 'playtest' AS kind, p.id, p.id AS playtest_id, NULL AS slot_id, p.game_id, p.owner_id,
    NULL AS blob_key, NULL AS filename, NULL AS content_type, p.created_at FROM playtests p
    WHERE p.is_free_public_trial = 1 AND p.approved_at IS NULL AND p.status = 'active'
  UNION ALL
  SELECT 'slot' AS kind, s.id, s.playtest_id, s.id AS slot_id, s.game_id, s.owner_id, b.blob_key, b.filename, b.content_type, b.created_at
    FROM slots s JOIN submissions b ON b.slot_id = s.id JOIN playtests p ON p.id = s.playtest_id
    WHERE p.is_free_public_trial = 1 AND b.admin_approved_at IS NULL AND s.status IN ('submitted', 'publishing')
) a`;

export const listApprovals = (q: Query, page: Page) =>
  paged(q, page, "a").all<ApprovalRow>(`SELECT a.*, g.name AS game_name, u.display_name AS owner_name
      FROM ${approvals} JOIN games g ON g.id = a.game_id JOIN users u ON u.id = a.owner_id WHERE 1 = 1`);

interface WantedUsers {
  role?: Role | undefined;
  email?: string | undefined;
  id?: string | undefined;
  search?: string | undefined;
}

export function listUsers(q: Query, only: WantedUsers, page: Page) {
  const conditions: string[] = ["1 = 1"];
  const filters: Value[] = [];
  if (only.role !== undefined) {
    conditions.push("u.role = ?");
    filters.push(only.role);
  }
  if (only.email !== undefined) {
    conditions.push("u.email_key = ?");
    filters.push(emailKey(only.email));
  }
  if (only.id !== undefined) {
    conditions.push("u.id = ?");
    filters.push(only.id);
  }
  if (only.search !== undefined) {
    conditions.push(`(${contains("u.email_key")} OR ${contains("u.display_name")})`);
    filters.push(...containing(only.search), ...containing(only.search));
  }
  return paged(q, page, "u").all<UserRow>(`SELECT u.* FROM users u WHERE ${conditions.join(" AND ")}`, ...filters);
}

const number = async (q: Query, sql: string) => (await q.one<{ n: number }>(sql))!.n;
const count = (q: Query, sql: string) => number(q, `SELECT COUNT(*) AS n FROM ${sql}`);
/** The total balance of all ledger accounts with this prefix, in cents. */
const held = (q: Query, prefix: string) =>
  number(q, `SELECT CAST(COALESCE(SUM(-balance), 0) AS BIGINT) AS n FROM ledger_accounts WHERE id LIKE '${prefix}%'`);

/** What a server without payments still owes from before: credit of owners, earnings of playtesters, and plans that have not ended. */
export const owed = async (q: Query) => ({
  creditCents: await held(q, "liab:credit:"),
  payableCents: await held(q, "liab:payable:"),
  plans: await count(q, "subscriptions WHERE status IN ('active', 'past_due')"),
});

export const stats = async (q: Query) => ({
  owners: await count(q, "users WHERE role = 'game_owner'"),
  playtesters: await count(q, "users WHERE role = 'playtester'"),
  games: await count(q, "games"),
  activePlaytests: await count(q, "playtests WHERE status = 'active'"),
  openSlots: await count(q, "slots WHERE status = 'open'"),
  pendingReviews: await count(q, "slots WHERE status = 'submitted'"),
  pendingApprovals: await count(q, approvals),
  creditCents: await held(q, "liab:credit:"),
  payableCents: await held(q, "liab:payable:"),
});
