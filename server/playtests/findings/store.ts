import type { FindingStatus } from "../../../src/contract/findings/statuses.ts";
import type { MomentKind } from "../../../src/contract/moments/kinds.ts";
import type { Query } from "../../database/port.ts";
import { insertRow, updateRow, updateWhere } from "../../database/rows.ts";

export interface FindingRow {
  id: string;
  game_id: string;
  owner_id: string;
  /** Counts up in each game. */
  number: number;
  title: string;
  body: string;
  kind: MomentKind;
  severity: number | null;
  /** A JSON array. */
  tags: string;
  status: FindingStatus;
  /** The finding that its evidence was moved to. */
  merged_into: string | null;
  created_at: number;
  updated_at: number;
}

export interface EvidenceRow {
  id: string;
  finding_id: string;
  game_id: string;
  owner_id: string;
  slot_id: string;
  moment_id: string | null;
  /** Position in the video (ms), and the end if there is one. What is a moment is where the moment is, whatever stands here. */
  at_ms: number;
  end_ms: number | null;
  quote: string | null;
  created_at: number;
}

/** Evidence as it is shown: with the moment that it is. */
export interface ShownEvidenceRow extends EvidenceRow {
  text: string | null;
}

/** Which evidence a merge or split moved: from one finding to another. */
export interface ChangeRow {
  id: string;
  kind: "merge" | "split";
  from_id: string;
  to_id: string;
  owner_id: string;
  /** A JSON array. */
  evidence_ids: string;
  created_at: number;
  undone_at: number | null;
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

export const countOf = async (q: Query, gameId: string) =>
  (await q.one<{ n: number }>("SELECT COUNT(*) AS n FROM findings WHERE game_id = ?", gameId))!.n;

/** The next number of a game, which is not given again. */
export async function nextNumber(tx: Query, gameId: string): Promise<number> {
  await tx.run("UPDATE games SET last_finding = last_finding + 1 WHERE id = ?", gameId);
  return (await tx.one<{ n: number }>("SELECT last_finding AS n FROM games WHERE id = ?", gameId))!.n;
}

const shownEvidence = `SELECT e.id, e.finding_id, e.game_id, e.owner_id, e.slot_id, e.moment_id, COALESCE(m.at_ms, e.at_ms) AS at_ms,
    CASE WHEN m.id IS NULL THEN e.end_ms ELSE m.end_ms END AS end_ms, e.quote, e.created_at, m.body AS text
  FROM finding_evidence e LEFT JOIN moments m ON m.id = e.moment_id`;

/** The evidence of all findings of a game, or of one: the oldest video first, each in its order. */
export const evidenceOf = (q: Query, of: "game" | "finding", id: string) =>
  q.all<ShownEvidenceRow>(`${shownEvidence} WHERE e.${of}_id = ? ORDER BY e.slot_id, 7, e.id`, id);

export const countEvidence = async (q: Query, findingId: string) =>
  (await q.one<{ n: number }>("SELECT COUNT(*) AS n FROM finding_evidence WHERE finding_id = ?", findingId))!.n;

/** The finding that a moment belongs to. */
export const findOfMoment = (q: Query, momentId: string) =>
  q.one<FindingRow>("SELECT f.* FROM finding_evidence e JOIN findings f ON f.id = e.finding_id WHERE e.moment_id = ?", momentId);

/** Whether there was such evidence, which is now removed. */
export const removeEvidence = async (tx: Query, findingId: string, id: string): Promise<boolean> =>
  (await tx.run("DELETE FROM finding_evidence WHERE finding_id = ? AND id = ?", findingId, id)) === 1;

/** Removes what a moment is evidence of. */
export const removeOfMoment = (tx: Query, momentId: string) =>
  tx.run("DELETE FROM finding_evidence WHERE moment_id = ?", momentId);

/** Forgets what was said in a video. */
export const removeQuotes = (tx: Query, slotId: string) =>
  tx.run("UPDATE finding_evidence SET quote = NULL WHERE slot_id = ?", slotId);

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
  await tx.run("DELETE FROM finding_evidence WHERE finding_id = ?", id);
  await tx.run("DELETE FROM finding_changes WHERE from_id = ? OR to_id = ?", id, id);
  await tx.run("DELETE FROM findings WHERE id = ?", id);
  return [...removed, id];
}

/** A video that counts: it was not rejected. */
export interface RecordingRow {
  slot_id: string;
  playtest_id: string;
  playtester_id: string | null;
  /** When its playtester began, which says which build was the newest (ms). */
  began_at: number;
  length_ms: number | null;
}

export const recordingsOf = (q: Query, gameId: string) =>
  q.all<RecordingRow>(
    `SELECT s.id AS slot_id, s.playtest_id, s.playtester_id, COALESCE(s.reserved_at, s.created_at) AS began_at, b.video_duration_ms AS length_ms
      FROM slots s JOIN submissions b ON b.slot_id = s.id WHERE s.game_id = ? AND s.status <> 'rejected'`,
    gameId,
  );

export interface BuildRow {
  id: string;
  version: string | null;
  created_at: number;
}

/** The builds of a game, the newest first. */
export const buildsOf = (q: Query, gameId: string) =>
  q.all<BuildRow>("SELECT id, version, created_at FROM builds WHERE game_id = ? ORDER BY created_at DESC, id DESC", gameId);
