import type { SlotState } from "../../../src/contract/playtester.ts";
import type { BlockReason, ReportOutcome } from "../../../src/contract/slots.ts";
import { type SlotStatus, slotMoves, type TranscriptionStatus } from "../../../src/contract/states/index.ts";
import { type Page, paged } from "../../database/keyset.ts";
import type { Query } from "../../database/port.ts";
import { findRow, sendManyRows, sendRow, updateRow, updateWhere } from "../../database/rows.ts";
import type { Left, New, Tables } from "../../database/schema/index.ts";
import { stateMachine } from "../../database/state-machine.ts";
import { withdrawnAtSql } from "../publications/consents-store.ts";
import { heldCount, heldForTeam, heldSlots, slotsOfMember } from "../teams/store.ts";
import { latestSql } from "./reports-store.ts";
import { endedStatuses } from "./rules.ts";

export type SlotRow = Tables["slots"];

/** A slot whose type says which status it has. */
export type SlotIn<Status extends SlotStatus> = SlotRow & { readonly status: Status };

/** What the views of a slot show of its playtest. */
type ShownOfPlaytest =
  | "visibility"
  | "duration_minutes"
  | "player_count"
  | "is_free_public_trial"
  | "payout_cents"
  | "selection_mode"
  | "notes_for_testers";

/** A slot with everything that its views show. */
export interface SlotDetailRow
  extends SlotRow,
    Left<Pick<Tables["submissions"], "video_file_size" | "video_duration_ms" | "video_facts" | "device" | "blob_key">>,
    Pick<Tables["submissions"], "published_at" | "published_url" | "admin_approved_at">,
    Pick<Tables["ratings"], "score" | "comment">,
    Left<Pick<Tables["transcriptions"], "selected_version" | "key_takeaways">>,
    Left<Pick<Tables["blocked_reports"], "reported_at" | "answer_by" | "resolved_at">>,
    Pick<Tables["playtests"], ShownOfPlaytest> {
  display_name: string | null;
  submission_id: string | null;
  submission_notes: string | null;
  submission_at: number | null;
  rated_at: number | null;
  reject_reason: string | null;
  rejected_at: number | null;
  transcription_id: string | null;
  transcription_status: TranscriptionStatus | null;
  report_code: BlockReason | null;
  report_notes: string | null;
  report_outcome: ReportOutcome | null;
  report_message: string | null;
  game_name: string;
  window_at: number | null;
  /** When one of its players withdrew the consent to the publication of its video (ms). */
  consent_withdrawn_at: number | null;
}

/** SQL for the status at a time, as `statusAt` computes it. Binds that time (ms) twice. */
export const statusSql = `CASE WHEN s.status = 'reserved' AND s.deadline_at <= ? THEN 'expired'
  WHEN s.status = 'open' AND p.closes_at <= ? THEN 'expired' ELSE s.status END`;

const detail = `SELECT s.*, u.display_name, b.id AS submission_id, b.video_file_size, b.video_duration_ms, b.video_facts, b.notes AS submission_notes, b.created_at AS submission_at, b.device, b.blob_key,
    b.published_at, b.published_url, b.admin_approved_at, r.score, r.comment, r.created_at AS rated_at, j.reason AS reject_reason, j.created_at AS rejected_at,
    t.id AS transcription_id, t.status AS transcription_status, t.selected_version, t.key_takeaways,
    k.reason_code AS report_code, k.notes AS report_notes, k.reported_at, k.answer_by, k.outcome AS report_outcome, k.message AS report_message, k.resolved_at,
    g.name AS game_name, p.visibility, p.duration_minutes, p.player_count, p.is_free_public_trial,
    p.payout_cents, p.selection_mode, p.notes_for_testers, p.closes_at AS window_at,
    CASE WHEN p.visibility = 'public' THEN ${withdrawnAtSql} END AS consent_withdrawn_at
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
  playtest: Pick<Tables["playtests"], ShownOfPlaytest | "closes_at">,
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
  scheduled_at: slot.scheduled_at,
  proposed_at: slot.proposed_at,
  accept_by: slot.accept_by,
  excused: slot.excused,
  build_at: slot.build_at,
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
  window_at: playtest.closes_at,
  consent_withdrawn_at: null,
});

export const find = (q: Query, id: string) => findRow(q, "slots", { id });
export const findDetail = (q: Query, id: string) => q.one<SlotDetailRow>(`${detail} WHERE s.id = ?`, id);
export const findForOwner = (q: Query, id: string, ownerId: string) =>
  q.one<SlotDetailRow>(`${detail} WHERE s.id = ? AND s.owner_id = ?`, id, ownerId);
export const findForPlaytester = (q: Query, id: string, playtesterId: string) =>
  q.one<SlotDetailRow>(`${detail} WHERE s.id = ? AND s.playtester_id = ?`, id, playtesterId);

export const listForPlaytest = (q: Query, playtestId: string, page: Page) =>
  paged(q, page, "s").all<SlotDetailRow>(`${detail} WHERE s.playtest_id = ?`, playtestId);

const marks = (values: readonly unknown[]) => values.map(() => "?").join(", ");

/** A slot as one attempt of a playtester at a playtest. */
export type AttemptRow = Pick<
  SlotDetailRow,
  "id" | "playtest_id" | "playtester_id" | "retry_of" | "reject_reason" | "deadline_at" | "status" | "window_at"
>;

/** All slots that these playtesters ever had of these playtests, the oldest first: after a rejection that allows it, a slot follows another. */
export const attemptsOf = (q: Query, playtesterIds: readonly string[], playtestIds: readonly string[]) =>
  q.all<AttemptRow>(
    `SELECT s.id, s.playtest_id, s.playtester_id, s.retry_of, s.deadline_at, s.status, NULL AS window_at, r.reason AS reject_reason
       FROM slots s LEFT JOIN rejections r ON r.slot_id = s.id
      WHERE s.playtester_id IN (${marks(playtesterIds)}) AND s.playtest_id IN (${marks(playtestIds)}) ORDER BY s.created_at, s.id`,
    ...playtesterIds,
    ...playtestIds,
  );

/** A slot that a playtester has or had, or in whose team they play or are asked to play at `now` (ms). */
export const findForMember = (q: Query, id: string, playtesterId: string, now: number) =>
  q.one<SlotDetailRow>(
    `${detail} WHERE s.id = ? AND (s.playtester_id = ? OR s.id IN (${slotsOfMember}))`,
    id,
    playtesterId,
    playtesterId,
    now,
  );

/** The condition for slots that are active or have ended at `now` (ms), or for all. */
function inState(state: SlotState | undefined, now: number): { sql: string; values: number[] } {
  if (state === undefined) return { sql: "", values: [] };
  const ended = `(${statusSql}) IN (${endedStatuses.map((status) => `'${status}'`).join(", ")})`;
  return { sql: ` AND ${state === "ended" ? ended : `NOT ${ended}`}`, values: [now, now] };
}

/**
 * All of these slots, or of them those that are active or have ended at `now`, newest first. The index of a playtester's own leads to the
 * page; most have no others.
 */
export async function listForMember(
  q: Query,
  playtesterId: string,
  { state, now }: { state?: SlotState | undefined; now: number },
  page: Page,
): Promise<SlotDetailRow[]> {
  const wanted = inState(state, now);
  const own = await paged(q, page, "s").all<SlotDetailRow>(
    `${detail} WHERE s.playtester_id = ?${wanted.sql}`,
    ...[playtesterId, ...wanted.values],
  );
  const others = await q.all<{ slot_id: string }>(slotsOfMember, playtesterId, now);
  if (others.length === 0) return own;
  const joined = await paged(q, page, "s").all<SlotDetailRow>(
    `${detail} WHERE s.id IN (${slotsOfMember}) AND COALESCE(s.playtester_id, '') <> ?${wanted.sql}`,
    ...[playtesterId, now, playtesterId, ...wanted.values],
  );
  return [...own, ...joined].sort(newestFirst).slice(0, page.limit + 1);
}

const newestFirst = (a: SlotRow, b: SlotRow) => b.created_at - a.created_at || (a.id < b.id ? 1 : -1);

/** An owner's slots with this status at `now`. */
export function listForOwner(q: Query, ownerId: string, status: SlotStatus, now: number, page: Page) {
  // The condition on the stored status uses the index; the computed status decides.
  const stored: SlotStatus[] = status === "expired" ? ["expired", "open", "reserved"] : [status];
  const narrowed = stored.length === 1 ? "= ?" : "IN (?, ?, ?)";
  return paged(q, page, "s").all<SlotDetailRow>(
    `${detail} WHERE s.owner_id = ? AND s.status ${narrowed} AND ${statusSql} = ?`,
    ownerId,
    ...stored,
    now,
    now,
    status,
  );
}

export const insert = (tx: Query, rows: readonly New<"slots">[]) => sendManyRows(tx, "slots", rows);

export const { isIn, requireMove, transition, tryTransition } = stateMachine({ noun: "slot", table: "slots", moves: slotMoves });

/** The oldest open slot of a playtest that is not held for a team at `now` (ms). */
export const firstOpen = (tx: Query, playtestId: string, now: number) =>
  tx.one<SlotIn<"open">>(
    `SELECT o.* FROM slots o WHERE o.playtest_id = ? AND o.status = 'open' AND NOT ${heldForTeam()} ORDER BY o.created_at, o.id LIMIT 1`,
    playtestId,
    now,
  );

export const statusesOf = async (q: Query, playtestId: string) =>
  (await q.all<Pick<SlotRow, "status">>("SELECT status FROM slots WHERE playtest_id = ?", playtestId)).map((row) => row.status);

/** How many slots a playtester holds at `now` (ms), alone or with others. */
export const held = async (q: Query, playtesterId: string, now: number) =>
  (await q.one<{ count: number }>(`SELECT ${heldCount("?")} AS count`, playtesterId, now, playtesterId, now, now))?.count ?? 0;

/**
 * The fixed time (ms) of a slot that a playtester holds, or that is held for their team, at `now` (ms), where it overlaps with a playtest that
 * begins at `scheduled_at`.
 */
export async function overlapping(
  q: Query,
  { id, scheduled_at: from, duration_minutes: minutes }: Pick<Tables["playtests"], "id" | "scheduled_at" | "duration_minutes">,
  playtesterId: string,
  now: number,
): Promise<number | undefined> {
  if (from === null) return undefined;
  const row = await q.one<{ at: number }>(
    `SELECT s.scheduled_at AS at FROM (${heldSlots}) own JOIN slots s ON s.id = own.id JOIN playtests p ON p.id = s.playtest_id
      WHERE p.id <> ? AND s.scheduled_at < ? AND s.scheduled_at + p.duration_minutes * 60000 > ? ORDER BY s.scheduled_at LIMIT 1`,
    playtesterId,
    playtesterId,
    now,
    id,
    from + minutes * 60_000,
    from,
  );
  return row?.at;
}

export const update = (tx: Query, id: string, changes: Partial<Omit<SlotRow, "status">>) => updateRow(tx, "slots", id, changes);

/** Gives the open slots of a playtest another fixed time (ms). */
export const moveOpen = (tx: Query, playtestId: string, at: number) =>
  updateWhere(tx, "slots", { scheduled_at: at }, { playtest_id: playtestId, status: "open" });

/** The slots of a playtest that playtesters hold. */
export const claimedOf = (q: Query, playtestId: string) =>
  q.all<SlotIn<"reserved" | "blocked">>(
    "SELECT * FROM slots WHERE playtest_id = ? AND status IN ('reserved', 'blocked') ORDER BY created_at, id",
    playtestId,
  );

/** The statuses of all slots of a playtest that this playtester ever had, without those that do not count against them. */
export const ofPlaytester = (q: Query, playtestId: string, playtesterId: string) =>
  q.all<Pick<SlotRow, "status">>(
    "SELECT status FROM slots WHERE playtest_id = ? AND playtester_id = ? AND excused = 0",
    playtestId,
    playtesterId,
  );

/**
 * A playtester's slot of a playtest: the newest that they ever had, or in whose team they play or are asked to play at `now` (ms). One that
 * they lost through no fault of their own only if there is no other.
 */
export const newestOf = (q: Query, playtestId: string, playtesterId: string, now: number) =>
  q.one<Pick<SlotRow, "id" | "excused">>(
    `SELECT id, excused FROM slots WHERE playtest_id = ? AND (playtester_id = ? OR id IN (${slotsOfMember}))
      ORDER BY excused, created_at DESC, id DESC LIMIT 1`,
    playtestId,
    playtesterId,
    playtesterId,
    now,
  );

export const insertSubmission = (tx: Query, row: New<"submissions">) => sendRow(tx, "submissions", row);
export const submissionOf = (q: Query, slotId: string) => findRow(q, "submissions", { slot_id: slotId });
export const insertRating = (tx: Query, row: New<"ratings">) => sendRow(tx, "ratings", row);
export const insertRejection = (tx: Query, row: New<"rejections">) => sendRow(tx, "rejections", row);

export const markPublished = (tx: Query, slotId: string, url: string, now: number) =>
  updateWhere(tx, "submissions", { published_at: now, published_url: url }, { slot_id: slotId });

/** Takes the address of a published video away. */
export const unmarkPublished = (tx: Query, slotId: string) =>
  tx.run("UPDATE submissions SET published_at = NULL, published_url = NULL WHERE slot_id = ?", slotId);

/** Records an admin's approval of a free trial's video. False when it was already approved. */
export const markApproved = async (tx: Query, slotId: string, now: number) =>
  (await updateWhere(tx, "submissions", { admin_approved_at: now }, { slot_id: slotId, admin_approved_at: null })) === 1;
export const openOf = (q: Query, playtestId: string) =>
  q.all<SlotIn<"open">>("SELECT * FROM slots WHERE playtest_id = ? AND status = 'open' ORDER BY created_at, id", playtestId);

export interface UploadedVideo {
  blobKey: string;
  size: number;
  filename: string;
  contentType: string;
  /** Null when the length cannot be read. */
  durationMs: number | null;
  /** What it is made of, as JSON; null while that is not known. */
  facts: string | null;
}

/** What was measured of the file of a video: how much of it has a picture and sound, in percent. Undefined where nothing is measured. */
export const measuredOf = (q: Query, slotId: string, blobKey: string) =>
  q.one<Pick<Tables["video_signals"], "status" | "picture_percent" | "sound_percent">>(
    "SELECT status, picture_percent, sound_percent FROM video_signals WHERE slot_id = ? AND blob_key = ?",
    slotId,
    blobKey,
  );

/** The completed upload that a submission of this slot would use, if there is one. */
export const uploadedVideo = (q: Query, slotId: string) =>
  q.one<UploadedVideo>(
    `SELECT 'videos/' || id AS "blobKey", size, filename, filetype AS "contentType", duration_ms AS "durationMs", facts FROM uploads
     WHERE slot_id = ? AND status = 'completed' ORDER BY completed_at DESC, id DESC LIMIT 1`,
    slotId,
  );
