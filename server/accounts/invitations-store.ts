import type { InvitationState, InvitedRole } from "../../src/contract/admin/invitations.ts";
import { keyset, type Page } from "../database/keyset.ts";
import type { Query } from "../database/port.ts";
import { insertRow, updateRow } from "../database/rows.ts";
import { emailKey } from "./users-store.ts";

export interface InvitationRow {
  id: string;
  email: string;
  email_key: string;
  role: InvitedRole;
  name: string | null;
  token_hash: string;
  created_at: number;
  sent_at: number;
  expires_at: number;
  joined_at: number | null;
  revoked_at: number | null;
}

/** The state at `now`, where it is a parameter. Who verified the address in another way has joined as well. */
const stateSql = `CASE WHEN i.joined_at IS NOT NULL THEN 'joined'
  WHEN EXISTS (SELECT 1 FROM users u WHERE u.email_key = i.email_key AND u.email_verified_at IS NOT NULL) THEN 'joined'
  WHEN i.revoked_at IS NOT NULL THEN 'revoked' WHEN i.expires_at <= CAST(? AS BIGINT) THEN 'expired' ELSE 'invited' END`;

export type ListedInvitation = InvitationRow & { state: InvitationState };

export const find = (q: Query, id: string, now: number) =>
  q.one<ListedInvitation>(`SELECT i.*, ${stateSql} AS state FROM invitations i WHERE i.id = ?`, now, id);

export const findByEmail = (q: Query, email: string, now: number) =>
  q.one<ListedInvitation>(`SELECT i.*, ${stateSql} AS state FROM invitations i WHERE i.email_key = ?`, now, emailKey(email));

/** The open invitation that a link belongs to. */
export const findByToken = (q: Query, hash: string, now: number) =>
  q.one<InvitationRow>(
    "SELECT * FROM invitations WHERE token_hash = ? AND joined_at IS NULL AND revoked_at IS NULL AND expires_at > ?",
    hash,
    now,
  );

export function list(q: Query, state: InvitationState | undefined, now: number, page: Page) {
  const { sql, values } = keyset(page, "i");
  const [only, filter] = state === undefined ? ["", []] : [`AND i.state = ?`, [state]];
  return q.all<ListedInvitation>(
    `SELECT i.* FROM (SELECT i.*, ${stateSql} AS state FROM invitations i) i WHERE 1 = 1 ${only} ${sql}`,
    now,
    ...filter,
    ...values,
  );
}

export const insert = (tx: Query, invitation: InvitationRow) => insertRow(tx, "invitations", invitation);
export const update = (tx: Query, id: string, changes: Partial<InvitationRow>) => updateRow(tx, "invitations", id, changes);

/** Uses up the link of an invitation. Undefined when it is unknown, used, revoked or expired. */
export const join = (tx: Query, hash: string, now: number) =>
  tx.one<InvitationRow>(
    `UPDATE invitations SET joined_at = ? WHERE token_hash = ? AND joined_at IS NULL AND revoked_at IS NULL AND expires_at > ? RETURNING *`,
    now,
    hash,
    now,
  );
