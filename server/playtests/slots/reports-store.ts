import type { BlockReason, ReportOutcome } from "../../../src/contract/slots.ts";
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

export const insert = (tx: Query, row: ReportRow) => insertRow(tx, "blocked_reports", row);
export const find = (q: Query, id: string) => q.one<ReportRow>("SELECT * FROM blocked_reports WHERE id = ?", id);
export const update = (tx: Query, id: string, changes: Partial<ReportRow>) => updateRow(tx, "blocked_reports", id, changes);

/** The report that blocks this slot. */
export const openOf = (q: Query, slotId: string) =>
  q.one<ReportRow>("SELECT * FROM blocked_reports WHERE slot_id = ? AND resolved_at IS NULL", slotId);
