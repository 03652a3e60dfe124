import type { PayoutStatus } from "../../../src/contract/states/index.ts";
import { freezes } from "../../billing/reversals-store.ts";
import { byCard } from "../../billing/store.ts";
import { type Page, paged } from "../../database/keyset.ts";
import type { Query } from "../../database/port.ts";
import type { Tables } from "../../database/schema/index.ts";
import { accounts } from "../../ledger/rules.ts";

export interface EarningRow {
  id: string;
  kind: "payout" | "withdrawal";
  /** Cents: positive for earnings, negative for payouts. */
  amount_cents: number;
  slot_id: string | null;
  game_name: string | null;
  duration_minutes: number | null;
  /** The state of the payout and where it was made to; null for earnings. */
  payout_status: PayoutStatus | null;
  masked: string | null;
  failure: string | null;
  created_at: number;
  /** Whether it may come from a card: its owner had paid by card before, and the order was not free. */
  from_card: boolean;
}

interface PostingRow
  extends Pick<Tables["ledger_postings"], "id" | "amount" | "created_at">,
    Pick<EarningRow, "game_name" | "duration_minutes" | "payout_status" | "masked" | "failure"> {
  event_key: string;
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
  const rows = await paged(q, page, "e").all<PostingRow>(
    `SELECT e.id, t.event_key, e.amount, e.created_at, CASE WHEN t.source = 'accept:' AND ${fromCard} THEN 1 ELSE 0 END AS from_card,
        g.name AS game_name, p.duration_minutes, w.status AS payout_status, w.masked, w.failure
      FROM ledger_postings e JOIN ledger_transfers t ON t.id = e.transfer_id
        LEFT JOIN playtests p ON p.id = t.playtest_id LEFT JOIN games g ON g.id = p.game_id
        LEFT JOIN payouts w ON t.source IN ('withdraw:', 'withdraw_failed:') AND w.id = SUBSTR(t.event_key, LENGTH(t.source) + 1)
      WHERE e.account_id = ?`,
    accounts.payable(playtesterId),
  );
  return rows.map(({ id, event_key, amount, created_at, from_card, ...rest }) => {
    const earned = event_key.startsWith(accepted);
    return {
      id,
      kind: earned ? "payout" : "withdrawal",
      amount_cents: -amount,
      slot_id: earned ? event_key.slice(accepted.length) : null,
      created_at,
      ...rest,
      from_card: from_card === 1,
    };
  });
}

export interface DisputedRow {
  id: string;
  cents: number;
  /** Since when a dispute has held it: the oldest of those that do, in ms. */
  since: number;
}

/** SQL: whether money of a card payment became credit: it bought credit, its order had ended, or slots of its order were cancelled. */
const becameCredit = `(c.purpose = 'credit' OR (c.purpose = 'order' AND (
  NOT EXISTS (SELECT 1 FROM playtests own WHERE own.id = c.playtest_id AND own.payment_id = c.id)
  OR EXISTS (SELECT 1 FROM ledger_postings h JOIN ledger_postings r ON r.transfer_id = h.transfer_id
    WHERE h.account_id = 'liab:held:' || c.playtest_id AND r.account_id = 'liab:credit:' || c.owner_id AND r.amount < 0))))`;

/**
 * Earnings that an open dispute holds: those of the order that the disputed payment paid and, if it became credit or bought a plan, those
 * of the orders that were paid from the owner's credit or hours after it. What a dispute took cannot be told from other credit of the owner.
 */
export const disputed = (q: Query, playtesterId: string) =>
  q.all<DisputedRow>(
    `SELECT e.id, -e.amount AS cents, MIN(d.created_at) AS since
      FROM payment_reversals d JOIN payments c ON c.id = d.payment_id JOIN playtests o ON o.owner_id = c.owner_id
        JOIN ledger_transfers t ON t.playtest_id = o.id AND t.source = 'accept:'
        JOIN ledger_postings e ON e.transfer_id = t.id AND e.account_id = ?
        LEFT JOIN payments b ON b.id = o.payment_id
      WHERE ${freezes("d")} AND (o.payment_id = c.id
        OR (${becameCredit} AND b.provider = 'credit' AND b.completed_at >= c.completed_at)
        OR (c.purpose = 'subscription' AND b.provider = 'playtest_hours' AND b.completed_at >= c.completed_at))
      GROUP BY e.id, e.amount`,
    accounts.payable(playtesterId),
  );

/** All earnings of a playtester, oldest first. */
export const earned = (q: Query, playtesterId: string) =>
  q.all<{ id: string; cents: number }>(
    `SELECT e.id, -e.amount AS cents FROM ledger_postings e JOIN ledger_transfers t ON t.id = e.transfer_id
      WHERE e.account_id = ? AND t.source = 'accept:' ORDER BY e.created_at, e.id`,
    accounts.payable(playtesterId),
  );

/** What a playtester was paid for these slots, in cents by slot. */
export async function earnedOfSlots(q: Query, playtesterId: string, slotIds: readonly string[]): Promise<Map<string, number>> {
  if (slotIds.length === 0) return new Map();
  const rows = await q.all<{ event_key: string; cents: number }>(
    `SELECT t.event_key, -e.amount AS cents FROM ledger_transfers t JOIN ledger_postings e ON e.transfer_id = t.id
      WHERE t.event_key IN (${slotIds.map(() => "?").join(", ")}) AND e.account_id = ?`,
    ...slotIds.map((id) => accepted + id),
    accounts.payable(playtesterId),
  );
  return new Map(rows.map(({ event_key, cents }) => [event_key.slice(accepted.length), cents]));
}

/** What was paid out before `at` (ms) and was not returned, in cents. */
export async function paidBefore(q: Query, playtesterId: string, at: number): Promise<number> {
  const row = await q.one<{ total: number | null }>(
    "SELECT CAST(SUM(amount_cents) AS BIGINT) AS total FROM payouts WHERE user_id = ? AND status <> 'failed' AND created_at < ?",
    playtesterId,
    at,
  );
  return row?.total ?? 0;
}

export interface CardEarning {
  id: string;
  account_id: string;
  cents: number;
  created_at: number;
}

/** Earnings from card money since `since` (exclusive), oldest first. `payable` are the accounts of playtesters, at least one. */
export const fromCardSince = (q: Query, payable: readonly string[], since: number) =>
  q.all<CardEarning>(
    `SELECT e.id, e.account_id, -e.amount AS cents, e.created_at FROM ledger_postings e JOIN ledger_transfers t ON t.id = e.transfer_id
      WHERE e.account_id IN (${payable.map(() => "?").join(", ")}) AND e.created_at > ? AND t.source = 'accept:' AND ${fromCard}
      ORDER BY e.created_at, e.id`,
    ...payable,
    since,
  );

/** Cents of a playtester's payouts in this state. */
export async function payoutCents(q: Query, playtesterId: string, status: PayoutStatus): Promise<number> {
  const row = await q.one<{ total: number | null }>(
    "SELECT CAST(SUM(amount_cents) AS BIGINT) AS total FROM payouts WHERE user_id = ? AND status = ?",
    playtesterId,
    status,
  );
  return row?.total ?? 0;
}
