import type { Query } from "../../database/port.ts";
import { insertRow, updateWhere } from "../../database/rows.ts";
import type { entryKinds } from "../../database/schema/budgets.ts";
import type { Tables } from "../../database/schema/index.ts";
import type { Amounts } from "./rules.ts";

/** What a budget counts: an order, or a payment that is for none. */
export type Subject = { playtestId: string } | { paymentId: string };

export type EntryKind = (typeof entryKinds)[number];

export type UseRow = Tables["budget_uses"];
export type EntryRow = Tables["budget_entries"];

type Window = Pick<UseRow, "budget_id" | "starts_at">;

/** The uses of these windows; one in which nothing was spent has none. */
export const usesOf = (q: Query, windows: readonly Window[]) =>
  q.all<UseRow>(
    `SELECT * FROM budget_uses WHERE ${windows.map(() => "(budget_id = ? AND starts_at = ?)").join(" OR ")}`,
    ...windows.flatMap((window) => [window.budget_id, window.starts_at]),
  );

/**
 * Adds to the use of a window, whose row is made if there is none. False, with nothing added, if a limit of the budget does not allow it;
 * `forced` adds it all the same, because it was spent already.
 */
export async function add(tx: Query, { budget_id, starts_at }: Window, added: Amounts, forced = false): Promise<boolean> {
  const { cents, minutes, slots } = added;
  const beyond = `SELECT 1 FROM budgets b WHERE b.id = budget_uses.budget_id AND (
    (CAST(? AS BIGINT) > 0 AND budget_uses.cents + ? > b.limit_cents) OR (CAST(? AS BIGINT) > 0 AND budget_uses.minutes + ? > b.limit_minutes)
    OR (CAST(? AS BIGINT) > 0 AND budget_uses.slots + ? > b.limit_slots))`;
  const [, changed] = await Promise.all([
    tx.run(
      `INSERT INTO budget_uses (budget_id, starts_at, cents, minutes, slots, alerted) VALUES (?, ?, 0, 0, 0, 0) ON CONFLICT DO NOTHING`,
      budget_id,
      starts_at,
    ),
    tx.run(
      `UPDATE budget_uses SET cents = cents + ?, minutes = minutes + ?, slots = slots + ? WHERE budget_id = ? AND starts_at = ?
        ${forced ? "" : `AND NOT EXISTS (${beyond})`}`,
      ...[cents, minutes, slots, budget_id, starts_at],
      ...(forced ? [] : [cents, cents, minutes, minutes, slots, slots]),
    ),
  ]);
  return changed === 1;
}

export const setAlerted = (tx: Query, { budget_id, starts_at }: Window, alerted: number) =>
  updateWhere(tx, "budget_uses", { alerted }, { budget_id, starts_at });

export const insertEntry = (tx: Query, entry: EntryRow) => insertRow(tx, "budget_entries", entry);

/** What was entered for a subject, by budget and kind. */
export type Entered = Window & Amounts & Pick<EntryRow, "kind">;

export function enteredFor(q: Query, subject: Subject): Promise<Entered[]> {
  const [column, id] = "playtestId" in subject ? ["playtest_id", subject.playtestId] : ["payment_id", subject.paymentId];
  return q.all<Entered>(
    `SELECT budget_id, starts_at, kind, CAST(SUM(cents) AS BIGINT) AS cents, CAST(SUM(minutes) AS BIGINT) AS minutes, CAST(SUM(slots) AS BIGINT) AS slots
      FROM budget_entries WHERE ${column} = ? GROUP BY budget_id, starts_at, kind ORDER BY budget_id, starts_at, kind`,
    id,
  );
}

/** The budgets with a total that count an order, whether or not they were removed. */
export const totalsOf = async (q: Query, playtestId: string): Promise<string[]> =>
  (
    await q.all<{ id: string }>(
      `SELECT DISTINCT b.id FROM budget_entries e JOIN budgets b ON b.id = e.budget_id
        WHERE e.playtest_id = ? AND b.period = 'total' ORDER BY b.id`,
      playtestId,
    )
  ).map(({ id }) => id);
