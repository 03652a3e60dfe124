import { type Page, paged } from "../../database/keyset.ts";
import type { Query } from "../../database/port.ts";
import type { Left, Tables } from "../../database/schema/index.ts";

/** A playtester who is owed something, with the payout details, if there are any. */
export type CreditorRow = Pick<Tables["users"], "id" | "email" | "display_name" | "suspended_at" | "created_at"> &
  Left<Pick<Tables["payout_details"], "method" | "sealed" | "masked" | "changed_at">>;

const creditors = `SELECT u.id, u.email, u.display_name, u.suspended_at, u.created_at, d.method, d.sealed, d.masked, d.changed_at
  FROM users u JOIN ledger_accounts a ON a.id = 'liab:payable:' || u.id LEFT JOIN payout_details d ON d.user_id = u.id
  WHERE u.role = 'playtester' AND a.balance < 0`;

/** Playtesters who are owed something, by the age of their accounts. */
export const listCreditors = (q: Query, page: Page) => paged(q, page, "u").all<CreditorRow>(creditors);
