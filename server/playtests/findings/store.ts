import type { Query } from "../../database/port.ts";
import { countRows, deleteWhere, insertRow, updateRow, updateWhere } from "../../database/rows.ts";
import type { Tables } from "../../database/schema/index.ts";
import { buildTimeSql } from "../slots/builds-store.ts";

export type FindingRow = Tables["findings"];
export type EvidenceRow = Tables["finding_evidence"];
export type ChangeRow = Tables["finding_changes"];

/** Evidence as it is shown: with the moment that it is, and whose video. */
export interface ShownEvidenceRow extends EvidenceRow, Pick<Tables["slots"], "playtester_id"> {
  text: string | null;
  display_name: string | null;
}

export const insert = (tx: Query, row: FindingRow) => insertRow(tx, "findings", row);
export const update = (tx: Query, id: string, changes: Partial<FindingRow>) => updateRow(tx, "findings", id, changes);
export const insertEvidence = (tx: Query, row: EvidenceRow) => insertRow(tx, "finding_evidence", row);
export const insertChange = (tx: Query, row: ChangeRow) => insertRow(tx, "finding_changes", row);
export const endChange = (tx: Query, id: string, now: number) => updateRow(tx, "finding_changes", id, { undone_at: now });

export const findForOwner = (q: Query, id: string, ownerId: string) =>
  q.one<FindingRow>("SELECT * FROM findings WHERE id = ? AND owner_id = ?", id, ownerId);

/** The findings of a game that were not merged into others, and the one with this number even if it was. */
export const listOfGame = (q: Query, gameId: string, number = 0) =>
  q.all<FindingRow>("SELECT * FROM findings WHERE game_id = ? AND (merged_into IS NULL OR number = ?)", gameId, number);

export const countOf = (q: Query, gameId: string) => countRows(q, "findings", { game_id: gameId });

/** The next number of a game, which is not given again. */
export async function nextNumber(tx: Query, gameId: string): Promise<number> {
  await tx.run("UPDATE games SET last_finding = last_finding + 1 WHERE id = ?", gameId);
  return (await tx.one<{ n: number }>("SELECT last_finding AS n FROM games WHERE id = ?", gameId))!.n;
}

const shownEvidence = `SELECT e.id, e.finding_id, e.game_id, e.owner_id, e.slot_id, e.moment_id, COALESCE(m.at_ms, e.at_ms) AS at_ms,
    CASE WHEN m.id IS NULL THEN e.end_ms ELSE m.end_ms END AS end_ms, e.quote, e.created_at, m.body AS text, s.playtester_id, u.display_name
  FROM finding_evidence e LEFT JOIN moments m ON m.id = e.moment_id LEFT JOIN slots s ON s.id = e.slot_id
    LEFT JOIN users u ON u.id = s.playtester_id`;

/** The evidence of all findings of a game, or of one: the oldest video first, each in its order. */
export const evidenceOf = (q: Query, of: "game" | "finding", id: string) =>
  q.all<ShownEvidenceRow>(`${shownEvidence} WHERE e.${of}_id = ? ORDER BY e.slot_id, 7, e.id`, id);

export const countEvidence = (q: Query, findingId: string) => countRows(q, "finding_evidence", { finding_id: findingId });

/** The finding that a moment belongs to. */
export const findOfMoment = (q: Query, momentId: string) =>
  q.one<FindingRow>("SELECT f.* FROM finding_evidence e JOIN findings f ON f.id = e.finding_id WHERE e.moment_id = ?", momentId);

/** Whether there was such evidence, which is now removed. */
export const removeEvidence = async (tx: Query, findingId: string, id: string): Promise<boolean> =>
  (await deleteWhere(tx, "finding_evidence", { finding_id: findingId, id })) === 1;

/** Removes what a moment is evidence of. */
export const removeOfMoment = (tx: Query, momentId: string) => deleteWhere(tx, "finding_evidence", { moment_id: momentId });

/** Forgets what was said in a video. */
export const removeQuotes = (tx: Query, slotId: string) =>
  updateWhere(tx, "finding_evidence", { quote: null }, { slot_id: slotId });

/** Moves evidence from one finding to another: all of it, or these pieces. Returns how many moved. */
export const moveEvidence = (tx: Query, from: string, to: string, ids?: readonly string[]): Promise<number> =>
  updateWhere(tx, "finding_evidence", { finding_id: to }, { finding_id: from, ...(ids && { id: ids }) });

/** The last merge or split of a finding that was not undone. */
export const lastChange = (q: Query, findingId: string) =>
  q.one<ChangeRow>(
    "SELECT * FROM finding_changes WHERE (from_id = ? OR to_id = ?) AND undone_at IS NULL ORDER BY created_at DESC, id DESC LIMIT 1",
    findingId,
    findingId,
  );

const mergedInto = async (q: Query, id: string) =>
  (await q.all<{ id: string }>("SELECT id FROM findings WHERE merged_into = ?", id)).map((row) => row.id);

/** Removes a finding and those that were merged into it, with their evidence. Returns the ids of all. */
export async function remove(tx: Query, id: string): Promise<string[]> {
  const removed: string[] = [];
  for (const inner of await mergedInto(tx, id)) removed.push(...(await remove(tx, inner)));
  await deleteWhere(tx, "finding_evidence", { finding_id: id });
  await deleteWhere(tx, "finding_issues", { finding_id: id });
  await tx.run("DELETE FROM finding_changes WHERE from_id = ? OR to_id = ?", id, id);
  await deleteWhere(tx, "findings", { id });
  return [...removed, id];
}

/** A video that counts: it was not rejected. */
export interface RecordingRow {
  slot_id: string;
  playtest_id: string;
  playtester_id: string | null;
  /** Its build is the newest that was there by then (ms). */
  build_time: number;
  length_ms: number | null;
}

/** In the order in which their playtesters claimed them. */
export const recordingsOf = (q: Query, gameId: string) =>
  q.all<RecordingRow>(
    `SELECT s.id AS slot_id, s.playtest_id, s.playtester_id, ${buildTimeSql} AS build_time, b.video_duration_ms AS length_ms
      FROM slots s JOIN submissions b ON b.slot_id = s.id WHERE s.game_id = ? AND s.status <> 'rejected' ORDER BY COALESCE(s.reserved_at, s.created_at), s.id`,
    gameId,
  );

export type BuildRow = Pick<Tables["builds"], "id" | "version" | "created_at">;

/** The builds of a game, the newest first. */
export const buildsOf = (q: Query, gameId: string) =>
  q.all<BuildRow>("SELECT id, version, created_at FROM builds WHERE game_id = ? ORDER BY created_at DESC, id DESC", gameId);
