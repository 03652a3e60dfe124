import { keyset, type Page } from "../../database/keyset.ts";
import type { Query } from "../../database/port.ts";
import { accounts } from "../../ledger/rules.ts";

export interface EarningRow {
  id: string;
  kind: "payout" | "withdrawal";
  /** Cents: positive earned, negative paid out. */
  amount_cents: number;
  slot_id: string | null;
  created_at: number;
}

interface PostingRow {
  id: string;
  event_key: string;
  amount: number;
  created_at: number;
}

const accepted = "accept:";

/** What a playtester earned by accepted slots and what was paid out to them: the postings of their account. */
export async function list(q: Query, playtesterId: string, page: Page): Promise<EarningRow[]> {
  const { sql, values } = keyset(page, "e");
  const rows = await q.all<PostingRow>(
    `SELECT e.id, t.event_key, e.amount, e.created_at FROM ledger_postings e JOIN ledger_transfers t ON t.id = e.transfer_id WHERE e.account_id = ? ${sql}`,
    accounts.payable(playtesterId),
    ...values,
  );
  return rows.map(({ id, event_key, amount, created_at }) => {
    const earned = event_key.startsWith(accepted);
    return {
      id,
      kind: earned ? "payout" : "withdrawal",
      amount_cents: -amount,
      slot_id: earned ? event_key.slice(accepted.length) : null,
      created_at,
    };
  });
}

/** Cents paid out so far, less payouts that failed and came back. */
export async function paidCents(q: Query, playtesterId: string): Promise<number> {
  const row = await q.one<{ total: number | null }>(
    "SELECT CAST(SUM(e.amount) AS BIGINT) AS total FROM ledger_postings e JOIN ledger_transfers t ON t.id = e.transfer_id WHERE e.account_id = ? AND t.source <> 'accept:'",
    accounts.payable(playtesterId),
  );
  return row?.total ?? 0;
}
