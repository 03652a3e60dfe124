import type { BlockReason, ReportOutcome } from "../../../src/contract/slots.ts";
import { keyset, type Page } from "../../database/keyset.ts";
import type { Query } from "../../database/port.ts";
import { insertRow, updateRow } from "../../database/rows.ts";

/** A playtester's report that a build cannot be played. */
export interface ReportRow {
  id: string;
  slot_id: string;
  reason_code: BlockReason;
  notes: string | null;
  reported_at: number;
  /** When the slot is cancelled unless somebody answers. Null only for a report from before such a limit existed. */
  answer_by: number | null;
  resolved_at: number | null;
  outcome: ReportOutcome | null;
  /** What the playtester was told. */
  message: string | null;
}

/** SQL for the id of a slot's latest report; `s` is the slot. */
export const latestSql = "(SELECT l.id FROM blocked_reports l WHERE l.slot_id = s.id ORDER BY l.reported_at DESC LIMIT 1)";

/** A report that waits for an answer, with the names of what it is about. */
export interface WaitingRow extends ReportRow {
  created_at: number;
  playtest_id: string;
  game_id: string;
  game_name: string;
  owner_id: string;
  owner_name: string;
  playtester_id: string;
  playtester_name: string;
}

const waiting = `(
  SELECT k.*, k.reported_at AS created_at, s.playtest_id, s.game_id, g.name AS game_name, s.owner_id, o.display_name AS owner_name,
    s.playtester_id, u.display_name AS playtester_name
  FROM blocked_reports k JOIN slots s ON s.id = k.slot_id JOIN games g ON g.id = s.game_id
  JOIN users o ON o.id = s.owner_id JOIN users u ON u.id = s.playtester_id
  WHERE k.resolved_at IS NULL
) w`;

export function listWaiting(q: Query, page: Page) {
  const { sql, values } = keyset(page, "w");
  return q.all<WaitingRow>(`SELECT w.* FROM ${waiting} WHERE 1 = 1 ${sql}`, ...values);
}

export const insert = (tx: Query, row: ReportRow) => insertRow(tx, "blocked_reports", row);
export const find = (q: Query, id: string) => q.one<ReportRow>("SELECT * FROM blocked_reports WHERE id = ?", id);
export const update = (tx: Query, id: string, changes: Partial<ReportRow>) => updateRow(tx, "blocked_reports", id, changes);

/** The report that blocks this slot. */
export const openOf = (q: Query, slotId: string) =>
  q.one<ReportRow>("SELECT * FROM blocked_reports WHERE slot_id = ? AND resolved_at IS NULL", slotId);
