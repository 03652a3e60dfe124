import { byCard } from "../../billing/store.ts";
import { keyset, type Page } from "../../database/keyset.ts";
import type { Query } from "../../database/port.ts";
import { accounts } from "../../ledger/rules.ts";

export interface EarningRow {
  id: string;
  kind: "payout" | "withdrawal";
  /** Cents: positive for earnings, negative for payouts. */
  amount_cents: number;
  slot_id: string | null;
  created_at: number;
  /** Whether it may come from a card: its owner had paid by card before, and the order was not free. */
  from_card: boolean;
}

interface PostingRow {
  id: string;
  event_key: string;
  amount: number;
  created_at: number;
  from_card: number;
}

const accepted = "accept:";

/**
 * Credit and hours do not remember what they were bought with, so all earnings from an owner count as card money once the owner has
 * paid by card. A later card payment changes nothing about earlier earnings.
 */
const fromCard = `EXISTS (SELECT 1 FROM playtests o JOIN payments c ON c.owner_id = o.owner_id
    WHERE o.id = t.playtest_id AND o.paid_with <> 'free' AND ${byCard("c")} AND COALESCE(c.completed_at, c.created_at) <= e.created_at)`;

/** A playtester's earnings from accepted slots and their payouts: the postings of their account. */
export async function list(q: Query, playtesterId: string, page: Page): Promise<EarningRow[]> {
  const { sql, values } = keyset(page, "e");
  const rows = await q.all<PostingRow>(
    `SELECT e.id, t.event_key, e.amount, e.created_at, CASE WHEN t.source = 'accept:' AND ${fromCard} THEN 1 ELSE 0 END AS from_card FROM ledger_postings e JOIN ledger_transfers t ON t.id = e.transfer_id WHERE e.account_id = ? ${sql}`,
    accounts.payable(playtesterId),
    ...values,
  );
  return rows.map(({ id, event_key, amount, created_at, from_card }) => {
    const earned = event_key.startsWith(accepted);
    return {
      id,
      kind: earned ? "payout" : "withdrawal",
      amount_cents: -amount,
      slot_id: earned ? event_key.slice(accepted.length) : null,
      created_at,
      from_card: from_card === 1,
    };
  });
}

/** Earnings from card money since `since` (exclusive): cents in all, and when the last was earned. */
export async function fromCardSince(
  q: Query,
  playtesterId: string,
  since: number,
): Promise<{ cents: number; last: number | null }> {
  const row = await q.one<{ cents: number | null; last: number | null }>(
    `SELECT CAST(SUM(-e.amount) AS BIGINT) AS cents, MAX(e.created_at) AS last FROM ledger_postings e JOIN ledger_transfers t ON t.id = e.transfer_id
      WHERE e.account_id = ? AND e.created_at > ? AND t.source = 'accept:' AND ${fromCard}`,
    accounts.payable(playtesterId),
    since,
  );
  return { cents: row?.cents ?? 0, last: row?.last ?? null };
}

/** Cents paid out so far, minus payouts that failed and were returned. */
export async function paidCents(q: Query, playtesterId: string): Promise<number> {
  const row = await q.one<{ total: number | null }>(
    "SELECT CAST(SUM(e.amount) AS BIGINT) AS total FROM ledger_postings e JOIN ledger_transfers t ON t.id = e.transfer_id WHERE e.account_id = ? AND t.source <> 'accept:'",
    accounts.payable(playtesterId),
  );
  return row?.total ?? 0;
}
