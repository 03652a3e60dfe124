import { type Page, paged } from "../../database/keyset.ts";
import type { Query } from "../../database/port.ts";
import { findRow, insertRow, updateRow } from "../../database/rows.ts";
import type { New, Tables } from "../../database/schema/index.ts";

export type ReportRow = Tables["blocked_reports"];

/** SQL for the id of a slot's latest report; `s` is the slot. */
export const latestSql = "(SELECT l.id FROM blocked_reports l WHERE l.slot_id = s.id ORDER BY l.reported_at DESC LIMIT 1)";

/** A report that waits for an answer, with the names of what it is about. */
export interface WaitingRow extends ReportRow, Pick<Tables["slots"], "playtest_id" | "game_id" | "owner_id"> {
  created_at: number;
  game_name: string;
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

export const listWaiting = (q: Query, page: Page) =>
  paged(q, page, "w").all<WaitingRow>(`SELECT w.* FROM ${waiting} WHERE 1 = 1`);

export const insert = (tx: Query, row: New<"blocked_reports">) => insertRow(tx, "blocked_reports", row);
export const find = (q: Query, id: string) => findRow(q, "blocked_reports", { id });
export const update = (tx: Query, id: string, changes: Partial<ReportRow>) => updateRow(tx, "blocked_reports", id, changes);

/** The report that blocks this slot. */
export const openOf = (q: Query, slotId: string) => findRow(q, "blocked_reports", { slot_id: slotId, resolved_at: null });
