import type { Device } from "../../../src/contract/games.ts";
import type { SelectionMode, Visibility } from "../../../src/contract/order-body.ts";
import type { BlockReason, ReportOutcome, TranscriptVersion } from "../../../src/contract/slots.ts";
import { type SlotStatus, slotMoves, type TranscriptionStatus } from "../../../src/contract/states/index.ts";
import { keyset, type Page } from "../../database/keyset.ts";
import type { Query } from "../../database/port.ts";
import { insertRow, sendManyRows, sendRow } from "../../database/rows.ts";
import { stateMachine } from "../../database/state-machine.ts";
import { latestSql } from "./reports-store.ts";

export interface SlotRow {
  id: string;
  playtest_id: string;
  game_id: string;
  owner_id: string;
  status: SlotStatus;
  playtester_id: string | null;
  /** The rejected slot that this one is a retry of. */
  retry_of: string | null;
  /** The expired or released slot that this one replaces. */
  replaces: string | null;
  reserved_at: number | null;
  deadline_at: number | null;
  submitted_at: number | null;
  ended_at: number | null;
  created_at: number;
}

/** A slot whose type says which status it has. */
export type SlotIn<Status extends SlotStatus> = SlotRow & { readonly status: Status };

/** A slot with everything that its views show. */
export interface SlotDetailRow extends SlotRow {
  display_name: string | null;
  submission_id: string | null;
  video_file_size: number | null;
  video_duration_ms: number | null;
  video_facts: string | null;
  submission_notes: string | null;
  submission_at: number | null;
  device: Device | null;
  blob_key: string | null;
  published_at: number | null;
  published_url: string | null;
  admin_approved_at: number | null;
  score: number | null;
  comment: string | null;
  rated_at: number | null;
  reject_reason: string | null;
  rejected_at: number | null;
  transcription_id: string | null;
  transcription_status: TranscriptionStatus | null;
  selected_version: TranscriptVersion | null;
  key_takeaways: string | null;
  report_code: BlockReason | null;
  report_notes: string | null;
  reported_at: number | null;
  answer_by: number | null;
  report_outcome: ReportOutcome | null;
  report_message: string | null;
  resolved_at: number | null;
  game_name: string;
  visibility: Visibility;
  duration_minutes: number;
  player_count: number;
  is_free_public_trial: number;
  payout_cents: number;
  selection_mode: SelectionMode;
  notes_for_testers: string | null;
  window_at: number | null;
}

/** SQL for the status at a time, as `statusAt` computes it. Binds that time (ms) twice. */
export const statusSql = `CASE WHEN s.status = 'reserved' AND s.deadline_at <= ? THEN 'expired'
  WHEN s.status = 'open' AND p.selection_mode = 'manual' AND p.applications_expire_at <= ? THEN 'expired' ELSE s.status END`;

const detail = `SELECT s.*, u.display_name, b.id AS submission_id, b.video_file_size, b.video_duration_ms, b.video_facts, b.notes AS submission_notes, b.created_at AS submission_at, b.device, b.blob_key,
    b.published_at, b.published_url, b.admin_approved_at, r.score, r.comment, r.created_at AS rated_at, j.reason AS reject_reason, j.created_at AS rejected_at,
    t.id AS transcription_id, t.status AS transcription_status, t.selected_version, t.key_takeaways,
    k.reason_code AS report_code, k.notes AS report_notes, k.reported_at, k.answer_by, k.outcome AS report_outcome, k.message AS report_message, k.resolved_at,
    g.name AS game_name, p.visibility, p.duration_minutes, p.player_count, p.is_free_public_trial,
    p.payout_cents, p.selection_mode, p.notes_for_testers, CASE WHEN p.selection_mode = 'manual' THEN p.applications_expire_at END AS window_at
  FROM slots s JOIN playtests p ON p.id = s.playtest_id JOIN games g ON g.id = s.game_id
  LEFT JOIN users u ON u.id = s.playtester_id LEFT JOIN submissions b ON b.slot_id = s.id LEFT JOIN ratings r ON r.slot_id = s.id
  LEFT JOIN rejections j ON j.slot_id = s.id LEFT JOIN transcriptions t ON t.slot_id = s.id
  LEFT JOIN blocked_reports k ON k.id = ${latestSql}`;

/**
 * What `findDetail` would read of a slot that was open and is claimed now: no slot becomes open again, so nothing was done with it yet.
 * Written out, because V8 copies the columns of other objects into a large one ten times as slowly, and claims come in bursts.
 */
export const detailOfClaimed = (
  slot: SlotIn<"reserved">,
  playtest: Pick<
    SlotDetailRow,
    | "visibility"
    | "duration_minutes"
    | "player_count"
    | "is_free_public_trial"
    | "payout_cents"
    | "selection_mode"
    | "notes_for_testers"
  > & { applications_expire_at: number | null },
  names: { game: string; playtester: string },
): SlotDetailRow => ({
  id: slot.id,
  playtest_id: slot.playtest_id,
  game_id: slot.game_id,
  owner_id: slot.owner_id,
  status: slot.status,
  playtester_id: slot.playtester_id,
  retry_of: slot.retry_of,
  replaces: slot.replaces,
  reserved_at: slot.reserved_at,
  deadline_at: slot.deadline_at,
  submitted_at: slot.submitted_at,
  ended_at: slot.ended_at,
  created_at: slot.created_at,
  submission_id: null,
  video_file_size: null,
  video_duration_ms: null,
  video_facts: null,
  submission_notes: null,
  submission_at: null,
  blob_key: null,
  device: null,
  published_at: null,
  published_url: null,
  admin_approved_at: null,
  score: null,
  comment: null,
  rated_at: null,
  reject_reason: null,
  rejected_at: null,
  transcription_id: null,
  transcription_status: null,
  selected_version: null,
  key_takeaways: null,
  report_code: null,
  report_notes: null,
  reported_at: null,
  answer_by: null,
  report_outcome: null,
  report_message: null,
  resolved_at: null,
  display_name: names.playtester,
  game_name: names.game,
  visibility: playtest.visibility,
  duration_minutes: playtest.duration_minutes,
  player_count: playtest.player_count,
  is_free_public_trial: playtest.is_free_public_trial,
  payout_cents: playtest.payout_cents,
  selection_mode: playtest.selection_mode,
  notes_for_testers: playtest.notes_for_testers,
  window_at: playtest.selection_mode === "manual" ? playtest.applications_expire_at : null,
});

export const find = (q: Query, id: string) => q.one<SlotRow>("SELECT * FROM slots WHERE id = ?", id);
export const findDetail = (q: Query, id: string) => q.one<SlotDetailRow>(`${detail} WHERE s.id = ?`, id);
export const findForOwner = (q: Query, id: string, ownerId: string) =>
  q.one<SlotDetailRow>(`${detail} WHERE s.id = ? AND s.owner_id = ?`, id, ownerId);
export const findForPlaytester = (q: Query, id: string, playtesterId: string) =>
  q.one<SlotDetailRow>(`${detail} WHERE s.id = ? AND s.playtester_id = ?`, id, playtesterId);

export function listForPlaytest(q: Query, playtestId: string, page: Page) {
  const { sql, values } = keyset(page, "s");
  return q.all<SlotDetailRow>(`${detail} WHERE s.playtest_id = ? ${sql}`, playtestId, ...values);
}

export function listForPlaytester(q: Query, playtesterId: string, page: Page) {
  const { sql, values } = keyset(page, "s");
  return q.all<SlotDetailRow>(`${detail} WHERE s.playtester_id = ? ${sql}`, playtesterId, ...values);
}

/** An owner's slots with this status at `now`. */
export function listForOwner(q: Query, ownerId: string, status: SlotStatus, now: number, page: Page) {
  const { sql, values } = keyset(page, "s");
  // The condition on the stored status uses the index; the computed status decides.
  const stored: SlotStatus[] = status === "expired" ? ["expired", "open", "reserved"] : [status];
  const narrowed = stored.length === 1 ? "= ?" : "IN (?, ?, ?)";
  return q.all<SlotDetailRow>(
    `${detail} WHERE s.owner_id = ? AND s.status ${narrowed} AND ${statusSql} = ? ${sql}`,
    ownerId,
    ...stored,
    now,
    now,
    status,
    ...values,
  );
}

export const insert = (tx: Query, rows: readonly SlotRow[]) => sendManyRows(tx, "slots", rows);

export const { isIn, requireMove, transition, tryTransition } = stateMachine<SlotRow, typeof slotMoves>({
  noun: "slot",
  table: "slots",
  moves: slotMoves,
});

/** The oldest open slot of a playtest. */
export const firstOpen = (tx: Query, playtestId: string) =>
  tx.one<SlotIn<"open">>(
    "SELECT * FROM slots WHERE playtest_id = ? AND status = 'open' ORDER BY created_at, id LIMIT 1",
    playtestId,
  );

export const statusesOf = async (q: Query, playtestId: string) =>
  (await q.all<Pick<SlotRow, "status">>("SELECT status FROM slots WHERE playtest_id = ?", playtestId)).map((row) => row.status);

export const held = async (q: Query, playtesterId: string, now: number) =>
  (
    await q.one<{ count: number }>(
      "SELECT COUNT(*) AS count FROM slots WHERE playtester_id = ? AND (status = 'blocked' OR (status = 'reserved' AND deadline_at > ?))",
      playtesterId,
      now,
    )
  )?.count ?? 0;

/** The statuses of all slots of a playtest that this playtester ever had. */
export const ofPlaytester = (q: Query, playtestId: string, playtesterId: string) =>
  q.all<Pick<SlotRow, "status">>(
    "SELECT status FROM slots WHERE playtest_id = ? AND playtester_id = ?",
    playtestId,
    playtesterId,
  );

export interface SubmissionRow {
  id: string;
  slot_id: string;
  blob_key: string;
  filename: string;
  content_type: string;
  video_file_size: number;
  video_duration_ms: number | null;
  /** What the video is made of, as JSON. Null until it was looked at. */
  video_facts: string | null;
  notes: string;
  /** What it was played on, as the playtester said. */
  device: Device | null;
  created_at: number;
  published_at: number | null;
  published_url: string | null;
  admin_approved_at: number | null;
}

export const insertSubmission = (tx: Query, row: SubmissionRow) => sendRow(tx, "submissions", row);
export const submissionOf = (q: Query, slotId: string) =>
  q.one<SubmissionRow>("SELECT * FROM submissions WHERE slot_id = ?", slotId);
export const insertRating = (
  tx: Query,
  row: { slot_id: string; score: number | null; comment: string | null; created_at: number },
) => sendRow(tx, "ratings", row);
export const insertRejection = (tx: Query, row: { slot_id: string; reason: string; allow_retry: number; created_at: number }) =>
  sendRow(tx, "rejections", row);

export const markPublished = (tx: Query, slotId: string, url: string, now: number) =>
  tx.run("UPDATE submissions SET published_at = ?, published_url = ? WHERE slot_id = ?", now, url, slotId);

/** Takes the address of a published video away. */
export const unmarkPublished = (tx: Query, slotId: string) =>
  tx.run("UPDATE submissions SET published_at = NULL, published_url = NULL WHERE slot_id = ?", slotId);

/** Records an admin's approval of a free trial's video. False when it was already approved. */
export const markApproved = async (tx: Query, slotId: string, now: number) =>
  (await tx.run("UPDATE submissions SET admin_approved_at = ? WHERE slot_id = ? AND admin_approved_at IS NULL", now, slotId)) ===
  1;

export const insertReport = (
  tx: Query,
  row: { id: string; slot_id: string; reason_code: BlockReason; notes: string | null; reported_at: number },
) => insertRow(tx, "blocked_reports", row);
export const openOf = (q: Query, playtestId: string) =>
  q.all<SlotIn<"open">>("SELECT * FROM slots WHERE playtest_id = ? AND status = 'open' ORDER BY created_at, id", playtestId);

export interface UploadedVideo {
  blobKey: string;
  size: number;
  filename: string;
  contentType: string;
  durationMs: number | null;
  facts: string | null;
}

/** The completed upload that a submission of this slot would use, if there is one. */
export const uploadedVideo = (q: Query, slotId: string) =>
  q.one<UploadedVideo>(
    `SELECT 'videos/' || id AS "blobKey", size, filename, filetype AS "contentType", duration_ms AS "durationMs", facts FROM uploads
     WHERE slot_id = ? AND status = 'completed' ORDER BY completed_at DESC, id DESC LIMIT 1`,
    slotId,
  );
