import { keyset, type Page } from "../database/keyset.ts";
import type { Query } from "../database/port.ts";
import { insertRow, updateRow } from "../database/rows.ts";

export interface MailRow {
  id: string;
  recipient: string;
  subject: string;
  text_body: string;
  html_body: string | null;
  /** The one-time token, encrypted. The text has `secretMark` in its place. Null when there is none, and once the email was sent. */
  sealed: string | null;
  created_at: number;
  sent_at: number | null;
  failed_at: number | null;
  error: string | null;
}

export const find = (q: Query, id: string) => q.one<MailRow>("SELECT * FROM mails WHERE id = ?", id);

export const insert = (tx: Query, mail: Omit<MailRow, "sent_at" | "failed_at" | "error">) => insertRow(tx, "mails", mail);

export const update = (tx: Query, id: string, changes: Partial<Pick<MailRow, "sent_at" | "failed_at" | "error" | "sealed">>) =>
  updateRow(tx, "mails", id, changes);

export function list(q: Query, page: Page) {
  const { sql, values } = keyset(page, "m");
  return q.all<MailRow>(`SELECT m.* FROM mails m WHERE 1 = 1 ${sql}`, ...values);
}
