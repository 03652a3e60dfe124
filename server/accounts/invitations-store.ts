import type { InvitationState } from "../../src/contract/admin/invitations.ts";
import { type Page, paged } from "../database/keyset.ts";
import type { Query } from "../database/port.ts";
import { deleteWhere, findRow, insertRow, updateRow, updateWhere } from "../database/rows.ts";
import type { New, Tables } from "../database/schema/index.ts";
import { emailKey } from "./users-store.ts";

export type InvitationRow = Tables["invitations"];

/** The state at `now`, where it is a parameter. Who verified the address in another way has joined as well. */
const stateSql = `CASE WHEN i.joined_at IS NOT NULL THEN 'joined'
  WHEN EXISTS (SELECT 1 FROM users u WHERE u.email_key = i.email_key AND u.email_verified_at IS NOT NULL) THEN 'joined'
  WHEN i.revoked_at IS NOT NULL THEN 'revoked' WHEN i.expires_at <= CAST(? AS BIGINT) THEN 'expired' ELSE 'invited' END`;

export interface ListedInvitation extends InvitationRow {
  state: InvitationState;
  mail_sent_at: number | null;
  mail_failed_at: number | null;
  mail_error: string | null;
  /** Null when the email is not kept any more. */
  mail_kept: string | null;
}

const withMail = `i.*, m.id AS mail_kept, m.sent_at AS mail_sent_at, m.failed_at AS mail_failed_at, m.error AS mail_error`;
const mailJoin = "LEFT JOIN mails m ON m.id = i.mail_id";

export const find = (q: Query, id: string, now: number) =>
  q.one<ListedInvitation>(`SELECT ${withMail}, ${stateSql} AS state FROM invitations i ${mailJoin} WHERE i.id = ?`, now, id);

export const findByEmail = (q: Query, email: string, now: number) =>
  q.one<ListedInvitation>(
    `SELECT ${withMail}, ${stateSql} AS state FROM invitations i ${mailJoin} WHERE i.email_key = ?`,
    now,
    emailKey(email),
  );

/** The open invitation that a link belongs to. */
export const findByToken = (q: Query, hash: string, now: number) =>
  q.one<InvitationRow>(
    "SELECT * FROM invitations WHERE token_hash = ? AND joined_at IS NULL AND revoked_at IS NULL AND expires_at > ?",
    hash,
    now,
  );

export function list(q: Query, state: InvitationState | undefined, now: number, page: Page) {
  const [only, filter] = state === undefined ? ["", []] : [`AND i.state = ?`, [state]];
  return paged(q, page, "i").all<ListedInvitation>(
    `SELECT ${withMail} FROM (SELECT i.*, ${stateSql} AS state FROM invitations i) i ${mailJoin} WHERE 1 = 1 ${only}`,
    now,
    ...filter,
  );
}

export const insert = (tx: Query, invitation: New<"invitations">) => insertRow(tx, "invitations", invitation);
export const update = (tx: Query, id: string, changes: Partial<InvitationRow>) => updateRow(tx, "invitations", id, changes);

/** Gives the invitation of an address to the new address of its account. One that the new address has already stays, and the other goes. */
export async function move(tx: Query, formerKey: string, to: Pick<InvitationRow, "email" | "email_key">): Promise<void> {
  if (await findRow(tx, "invitations", { email_key: to.email_key }))
    await deleteWhere(tx, "invitations", { email_key: formerKey });
  else await updateWhere(tx, "invitations", to, { email_key: formerKey });
}

/** Uses up the link of an invitation. Undefined when it is unknown, used, revoked or expired. */
export const join = (tx: Query, hash: string, now: number) =>
  tx.one<InvitationRow>(
    `UPDATE invitations SET joined_at = ? WHERE token_hash = ? AND joined_at IS NULL AND revoked_at IS NULL AND expires_at > ? RETURNING *`,
    now,
    hash,
    now,
  );
