import { keyset, type Page } from "../database/keyset.ts";
import type { Query } from "../database/port.ts";

export interface MailRow {
  id: string;
  recipient: string;
  subject: string;
  text_body: string;
  html_body: string | null;
  created_at: number;
}

export function list(q: Query, page: Page) {
  const { sql, values } = keyset(page, "m");
  return q.all<MailRow>(
    `SELECT m.id, m.recipient, m.subject, m.text_body, m.html_body, m.created_at FROM mails m WHERE 1 = 1 ${sql}`,
    ...values,
  );
}
