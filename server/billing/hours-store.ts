import { type Page, paged } from "../database/keyset.ts";
import type { Query } from "../database/port.ts";
import type { Tables } from "../database/schema/index.ts";
import { accounts } from "../ledger/rules.ts";

/** One change of an account's playtest minutes. `amount` is that of the posting: negative if minutes were added. */
export type HoursRow = Pick<Tables["ledger_postings"], "id" | "amount" | "created_at"> &
  Pick<Tables["ledger_transfers"], "event_key" | "note" | "subscription_id" | "payment_id" | "playtest_id">;

export const listForOwner = (q: Query, ownerId: string, page: Page) =>
  paged(q, page, "p").all<HoursRow>(
    `SELECT p.id, p.amount, p.created_at, t.event_key, t.note, t.subscription_id, t.payment_id, t.playtest_id
       FROM ledger_postings p JOIN ledger_transfers t ON t.id = p.transfer_id WHERE p.account_id = ?`,
    accounts.minutes(ownerId),
  );
