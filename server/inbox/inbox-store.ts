import type { InboxKind } from "../../src/contract/notifications.ts";
import { freezes } from "../billing/reversals-store.ts";
import { isFlagged } from "../billing/store.ts";
import { isHeld } from "../billing/suspense-store.ts";
import type { Query, Value } from "../database/port.ts";
import { countUndelivered, newestUndelivered } from "../mail/store.ts";
import { troubled } from "../playtests/publications/store.ts";
import { lackingKeys } from "../playtests/store.ts";

/** What waits, as the inbox shows it. Times in ms. */
export interface Waiting {
  count: number;
  due_at: number | null;
  amount_cents: number | null;
  first_id: string | null;
}

const none: Waiting = { count: 0, due_at: null, amount_cents: null, first_id: null };

/** `rows` is everything after FROM; its first row in this order is what to look at first. */
async function waiting(
  q: Query,
  what: { id: string; due?: string; rows: string; order: string },
  ...values: Value[]
): Promise<Waiting> {
  const { id, due = "NULL", rows, order } = what;
  const first = await q.one<{ id: string; due_at: number | null }>(
    `SELECT ${id} AS id, CAST(${due} AS BIGINT) AS due_at FROM ${rows} ORDER BY ${order} LIMIT 1`,
    ...values,
  );
  if (!first) return none;
  const { count } = (await q.one<{ count: number }>(`SELECT COUNT(*) AS count FROM ${rows}`, ...values))!;
  return { ...none, count, due_at: first.due_at, first_id: first.id };
}

const reported = "slots s JOIN blocked_reports r ON r.slot_id = s.id AND r.resolved_at IS NULL WHERE s.status = 'blocked'";

const unread = (own: string, sender: string) => ({
  id: "c.id",
  rows: `messages m JOIN conversations c ON c.id = m.conversation_id WHERE c.${own} = ? AND m.sender_type = '${sender}' AND m.read_at IS NULL`,
  order: "m.created_at, m.id",
});

type Find = (q: Query, account: { userId: string; now: number; lowCreditCents: number }) => Promise<Waiting>;

export const ofOwner = {
  problems: (q, { userId }) =>
    waiting(q, { id: "s.id", due: "r.answer_by", rows: `${reported} AND s.owner_id = ?`, order: "r.answer_by, s.id" }, userId),
  lackingKeys: async (q, { userId, now }) => {
    const [first, ...others] = await lackingKeys(q, userId, now);
    return first ? { ...none, count: others.length + 1, first_id: first.id } : none;
  },
  reviews: (q, { userId }) =>
    waiting(q, { id: "id", rows: "slots WHERE owner_id = ? AND status = 'submitted'", order: "submitted_at, id" }, userId),
  applications: (q, { userId, now }) =>
    waiting(
      q,
      {
        id: "p.id",
        due: "p.closes_at",
        rows: `applications a JOIN playtests p ON p.id = a.playtest_id
          WHERE p.owner_id = ? AND p.status = 'active' AND a.status = 'pending' AND p.closes_at > ?`,
        order: "p.closes_at, p.id",
      },
      userId,
      now,
    ),
  unpaidOrders: (q, { userId, now }) =>
    waiting(
      q,
      {
        id: "id",
        due: "pay_by",
        rows: "playtests WHERE owner_id = ? AND status = 'pending_payment' AND pay_by > ?",
        order: "pay_by, id",
      },
      userId,
      now,
    ),
  waitingOrders: (q, { userId, now }) =>
    waiting(
      q,
      {
        id: "id",
        due: "expires_at",
        rows: "order_approvals WHERE owner_id = ? AND status = 'pending' AND expires_at > ?",
        order: "expires_at, id",
      },
      userId,
      now,
    ),
  unreadMessages: (q, { userId }) => waiting(q, unread("owner_id", "playtester"), userId),
  /** Only for who has bought credit: others pay each order by itself. */
  lowCredit: async (q, { userId, lowCreditCents }) => {
    const balance = await q.one<{ cents: number }>(
      `SELECT COALESCE((SELECT -balance FROM ledger_accounts WHERE id = ?), 0) AS cents
        WHERE EXISTS (SELECT 1 FROM payments WHERE owner_id = ? AND purpose = 'credit' AND status = 'completed')`,
      `liab:credit:${userId}`,
      userId,
    );
    return balance && balance.cents < lowCreditCents ? { ...none, count: 1, amount_cents: balance.cents } : none;
  },
} satisfies Partial<Record<InboxKind, Find>>;

export const ofPlaytester = {
  reservedSlots: (q, { userId, now }) =>
    waiting(
      q,
      {
        id: "id",
        due: "deadline_at",
        rows: "slots WHERE playtester_id = ? AND status = 'reserved' AND deadline_at > ?",
        order: "deadline_at, id",
      },
      userId,
      now,
    ),
  unreadMessages: (q, { userId }) => waiting(q, unread("playtester_id", "game_owner"), userId),
} satisfies Partial<Record<InboxKind, Find>>;

const approvals = `(
  SELECT p.id, p.created_at FROM playtests p WHERE p.is_free_public_trial = 1 AND p.approved_at IS NULL AND p.status = 'active'
  UNION ALL
  SELECT s.id, b.created_at FROM slots s JOIN submissions b ON b.slot_id = s.id JOIN playtests p ON p.id = s.playtest_id
    WHERE p.is_free_public_trial = 1 AND b.admin_approved_at IS NULL AND s.status IN ('submitted', 'publishing')) a`;

export const ofAdmin = {
  problems: (q) => waiting(q, { id: "s.id", due: "r.answer_by", rows: reported, order: "r.answer_by, s.id" }),
  approvals: (q) => waiting(q, { id: "a.id", rows: approvals, order: "a.created_at, a.id" }),
  failedPublications: (q) => waiting(q, { id: "id", rows: `publications c WHERE ${troubled}`, order: "updated_at, id" }),
  disputes: async (q) => {
    const rows = `payment_reversals r WHERE ${freezes("r")}`;
    const found = await waiting(q, {
      id: "r.payment_id",
      due: "r.answer_by",
      rows,
      order: "CASE WHEN r.answer_by IS NULL THEN 1 ELSE 0 END, r.answer_by, r.created_at, r.id",
    });
    const sum = await q.one<{ cents: number }>(`SELECT CAST(COALESCE(SUM(r.cents), 0) AS BIGINT) AS cents FROM ${rows}`);
    return { ...found, amount_cents: found.count > 0 ? sum!.cents : null };
  },
  flaggedPayments: (q) =>
    waiting(q, { id: "id", rows: `payments WHERE ${isFlagged}`, order: "COALESCE(flagged_at, updated_at), id" }),
  payoutsOwed: async (q) => {
    const owed = await q.one<{ count: number; cents: number }>(
      `SELECT COUNT(*) AS count, CAST(COALESCE(SUM(-balance), 0) AS BIGINT) AS cents FROM ledger_accounts
        WHERE id LIKE 'liab:payable:%' AND balance < 0`,
    );
    return { ...none, count: owed!.count, amount_cents: owed!.count > 0 ? owed!.cents : null };
  },
  unmatchedDeposits: async (q) => ({
    ...none,
    ...(await q.one<{ count: number }>(`SELECT COUNT(*) AS count FROM crypto_deposits WHERE ${isHeld}`))!,
  }),
  refusedMails: async (q) => {
    const { failed } = await countUndelivered(q);
    return { ...none, count: failed, first_id: (await newestUndelivered(q, "failed"))?.id ?? null };
  },
  failedJobs: async (q) => ({
    ...none,
    ...(await q.one<{ count: number }>("SELECT COUNT(*) AS count FROM jobs WHERE state = 'dead'"))!,
  }),
} satisfies Partial<Record<InboxKind, Find>>;
