import { type Page, paged } from "../../database/keyset.ts";
import type { Query } from "../../database/port.ts";
import type { Tables } from "../../database/schema/index.ts";
import { accounts } from "../../ledger/rules.ts";

/** From the first instant (ms) of a period to that of the next. */
export interface Period {
  from: number;
  to: number;
}

const joined = "ledger_postings e JOIN ledger_transfers t ON t.id = e.transfer_id";

/** The balance of a playtester's earnings before an instant (ms), in cents. */
export async function balanceBefore(q: Query, playtesterId: string, at: number): Promise<number> {
  const row = await q.one<{ cents: number | null }>(
    "SELECT CAST(SUM(-amount) AS BIGINT) AS cents FROM ledger_postings WHERE account_id = ? AND created_at < ?",
    accounts.payable(playtesterId),
    at,
  );
  return row?.cents ?? 0;
}

/** How much each kind of transfer added to the balance in a period; negative where it was taken from it. */
export const changesBySource = (q: Query, playtesterId: string, { from, to }: Period) =>
  q.all<{ source: string; cents: number }>(
    `SELECT t.source, CAST(SUM(-e.amount) AS BIGINT) AS cents FROM ${joined}
      WHERE e.account_id = ? AND e.created_at >= ? AND e.created_at < ? GROUP BY t.source`,
    accounts.payable(playtesterId),
    from,
    to,
  );

/** What was earned with each game in a period, most first. */
export const earnedByGame = (q: Query, playtesterId: string, { from, to }: Period) =>
  q.all<{ id: string; name: string; slots: number; cents: number }>(
    `SELECT g.id, g.name, COUNT(*) AS slots, CAST(SUM(-e.amount) AS BIGINT) AS cents
      FROM ${joined} JOIN playtests p ON p.id = t.playtest_id JOIN games g ON g.id = p.game_id
      WHERE e.account_id = ? AND e.created_at >= ? AND e.created_at < ? AND t.source = 'accept:' GROUP BY g.id, g.name ORDER BY 4 DESC, 1`,
    accounts.payable(playtesterId),
    from,
    to,
  );

/** The payouts of a playtester that were made or failed in a period. */
export const payoutsOf = (q: Query, playtesterId: string, { from, to }: Period) =>
  q.all<Pick<Tables["payouts"], "id" | "amount_cents" | "reference" | "masked" | "created_at" | "failed_at">>(
    `SELECT id, amount_cents, reference, masked, created_at, failed_at FROM payouts
      WHERE user_id = ? AND ((created_at >= ? AND created_at < ?) OR (failed_at >= ? AND failed_at < ?)) ORDER BY created_at, id`,
    playtesterId,
    from,
    to,
    from,
    to,
  );

export type TotalRow = Pick<Tables["users"], "id" | "email" | "display_name" | "created_at"> &
  Record<"earned" | "paid" | "balance", number>;

/** What each playtester with a movement in the period earned and was paid in it, by the age of their accounts. */
export function listTotals(q: Query, { from, to }: Period, page: Page) {
  return paged(q, page, "u").all<TotalRow>(
    `SELECT u.id, u.email, u.display_name, u.created_at, y.earned, y.paid, y.balance FROM users u JOIN (
        SELECT e.account_id,
          CAST(SUM(CASE WHEN t.source = 'accept:' AND e.created_at >= ? THEN -e.amount ELSE 0 END) AS BIGINT) AS earned,
          CAST(SUM(CASE WHEN t.source <> 'accept:' AND e.created_at >= ? THEN e.amount ELSE 0 END) AS BIGINT) AS paid,
          CAST(SUM(-e.amount) AS BIGINT) AS balance, MAX(e.created_at) AS latest
        FROM ${joined} WHERE e.account_id LIKE 'liab:payable:%' AND e.created_at < ? GROUP BY e.account_id) y
      ON y.account_id = 'liab:payable:' || u.id WHERE y.latest >= ?`,
    from,
    from,
    to,
    from,
  );
}
