import type { Query } from "./db.ts";
import { keyset, type Page } from "./keyset.ts";
import { insertRow, updateRow } from "./rows.ts";

export interface PlaytestRow {
  id: string;
  game_id: string;
  owner_id: string;
  visibility: "public" | "private";
  quantity: number;
  duration_minutes: number;
  player_count: number;
  cost_per_slot_cents: number;
  payout_cents: number;
  notes_for_testers: string | null;
  status: "pending_payment" | "active" | "completed" | "cancelled" | "expired";
  is_free_public_trial: number;
  targeting_type: "new" | "past" | null;
  targeting_scope: "game" | "owner" | null;
  past_playtester_scope: "any" | "specific" | null;
  targeted_playtester_id: string | null;
  selection_mode: "automatic" | "manual";
  qualifications: string | null;
  applications_expire_at: number | null;
  /** When an admin let a trial's slots be offered; null until then. */
  approved_at: number | null;
  /** `credit` also when crypto paid: that passes through credit. Null while unpaid. */
  paid_with: "credit" | "hours" | "free" | null;
  payment_id: string | null;
  /** When an unpaid order lapses. */
  pay_by: number | null;
  created_at: number;
  updated_at: number;
}

export type SlotCounts = Record<"open" | "reserved" | "submitted" | "accepted" | "rejected" | "expired", number>;

export const find = (q: Query, id: string) => q.one<PlaytestRow>("SELECT * FROM playtests WHERE id = ?", id);
export const findForOwner = (q: Query, id: string, ownerId: string) =>
  q.one<PlaytestRow>("SELECT * FROM playtests WHERE id = ? AND owner_id = ?", id, ownerId);

export function listForGame(q: Query, gameId: string, page: Page) {
  const { sql, values } = keyset(page, "p");
  return q.all<PlaytestRow>(`SELECT p.* FROM playtests p WHERE p.game_id = ? ${sql}`, gameId, ...values);
}

export const insert = (tx: Query, playtest: PlaytestRow) => insertRow(tx, "playtests", playtest);
export const update = (tx: Query, id: string, changes: Partial<PlaytestRow>) => updateRow(tx, "playtests", id, changes);

/** Compare-and-set on the status: true for the one caller that moved it. */
export const transition = async (tx: Query, id: string, from: PlaytestRow["status"], to: PlaytestRow["status"], now: number) =>
  (await tx.run("UPDATE playtests SET status = ?, updated_at = ? WHERE id = ? AND status = ?", to, now, id, from)) === 1;

export const hasTrial = async (q: Query, gameId: string) =>
  (await q.one("SELECT id FROM playtests WHERE game_id = ? AND is_free_public_trial = 1 AND status <> 'cancelled'", gameId)) !==
  undefined;

/** Slots per status by playtest; a reserved slot past its deadline counts as expired although no job has run yet. */
export async function slotCounts(q: Query, playtestIds: readonly string[], now: number): Promise<Map<string, SlotCounts>> {
  const none = (): SlotCounts => ({ open: 0, reserved: 0, submitted: 0, accepted: 0, rejected: 0, expired: 0 });
  const counts = new Map(playtestIds.map((id) => [id, none()]));
  if (playtestIds.length === 0) return counts;
  const rows = await q.all<{ playtest_id: string; status: string; count: number }>(
    `SELECT playtest_id, CASE WHEN status = 'reserved' AND deadline_at <= ? THEN 'expired' ELSE status END AS status, COUNT(*) AS count
       FROM slots WHERE playtest_id IN (${playtestIds.map(() => "?").join(", ")}) GROUP BY 1, 2`,
    now,
    ...playtestIds,
  );
  for (const { playtest_id, status, count } of rows) {
    const of = counts.get(playtest_id)!;
    if (status in of) of[status as keyof SlotCounts] = count;
  }
  return counts;
}

export const addKey = (tx: Query, playtestId: string, position: number, ciphertext: string) =>
  insertRow(tx, "playtest_keys", { playtest_id: playtestId, position, ciphertext });

/** Gives the next free keys, in order, to a slot. */
export const assignKeys = (tx: Query, playtestId: string, slotId: string, count: number) =>
  tx.run(
    `UPDATE playtest_keys SET slot_id = ? WHERE playtest_id = ? AND position IN
       (SELECT position FROM playtest_keys WHERE playtest_id = ? AND slot_id IS NULL ORDER BY position LIMIT ?)`,
    slotId,
    playtestId,
    playtestId,
    count,
  );

/** A retry or a replacement after an unused claim inherits the keys; a game key that was seen is spent. */
export const moveKeys = (tx: Query, fromSlotId: string, toSlotId: string) =>
  tx.run("UPDATE playtest_keys SET slot_id = ? WHERE slot_id = ?", toSlotId, fromSlotId);

export const keysOfSlot = (q: Query, slotId: string) =>
  q.all<{ position: number; ciphertext: string }>(
    "SELECT position, ciphertext FROM playtest_keys WHERE slot_id = ? ORDER BY position",
    slotId,
  );
