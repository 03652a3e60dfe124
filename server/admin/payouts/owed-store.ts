import type { DetailsRow } from "../../accounts/payout-details/store.ts";
import { keyset, type Page } from "../../database/keyset.ts";
import type { Query } from "../../database/port.ts";

/** A playtester who is owed something, with the payout details, if there are any. */
export interface CreditorRow {
  id: string;
  email: string;
  display_name: string;
  suspended_at: number | null;
  created_at: number;
  method: DetailsRow["method"] | null;
  sealed: string | null;
  masked: string | null;
  changed_at: number | null;
}

/** Playtesters who are owed something, by the age of their accounts. */
export function listCreditors(q: Query, page: Page) {
  const { sql, values } = keyset(page, "u");
  return q.all<CreditorRow>(
    `SELECT u.id, u.email, u.display_name, u.suspended_at, u.created_at, d.method, d.sealed, d.masked, d.changed_at
      FROM users u JOIN ledger_accounts a ON a.id = 'liab:payable:' || u.id LEFT JOIN payout_details d ON d.user_id = u.id
      WHERE u.role = 'playtester' AND a.balance < 0 ${sql}`,
    ...values,
  );
}
