import { type Page, paged } from "../../database/keyset.ts";
import type { Query, Value } from "../../database/port.ts";
import { countRows, deleteWhere, insertRow } from "../../database/rows.ts";
import type { New, Tables } from "../../database/schema/index.ts";
import { isPoster } from "../../playtests/moments/stills-store.ts";
import type { MomentRow } from "../../playtests/moments/store.ts";
import { isWithin, type Part, shareable } from "./rules.ts";

export type ShareRow = Tables["shares"];

/** A share with the name of its game and how many videos it shows now. */
export type ShownShareRow = ShareRow & { game_name: string; videos: number };

/** A video, or a clip of one, as the page of a share shows it. */
export interface SharedVideoRow {
  id: string;
  game_name: string;
  display_name: string;
  blob_key: string;
  content_type: string;
  video_duration_ms: number | null;
  submitted_at: number;
  /** Its poster, if it has one: a clip's own, since that of the whole video could show what is not in the clip. */
  poster_id: string | null;
  poster_at_ms: number | null;
  /** The part of the video (ms) and the name of the clip; null for a whole video. */
  clip_at_ms: number | null;
  clip_end_ms: number | null;
  clip_name: string | null;
  /** Whether the clip is a reel: its positions are not those of one video. */
  is_reel: number;
}

export const tokenContext = (id: string) => `share ${id}`;

export const insert = (tx: Query, row: New<"shares">) => insertRow(tx, "shares", row);
export const remove = (tx: Query, id: string) => deleteWhere(tx, "shares", { id });

const statuses = shareable.map((status) => `'${status}'`).join(", ");

/** SQL for whether somebody who played a slot in its team has deleted their account. */
const hasGoneMember = (
  slot: string,
) => `EXISTS (SELECT 1 FROM team_members m JOIN teams t ON t.id = m.team_id JOIN users d ON d.id = m.user_id
  WHERE m.slot_id = ${slot}.id AND m.status = 'confirmed' AND t.status = 'complete' AND d.deleted_at IS NOT NULL)`;

/** The videos of a share: of accounts and games that are neither suspended nor deleted, and of slots that wait for review or are paid. */
const videosWith = (
  more: string,
) => `FROM slots s JOIN users o ON o.id = s.owner_id AND o.suspended_at IS NULL AND o.deleted_at IS NULL
  JOIN users u ON u.id = s.playtester_id AND u.deleted_at IS NULL JOIN submissions b ON b.slot_id = s.id JOIN games g ON g.id = s.game_id AND g.status <> 'suspended'
  ${more} WHERE s.status IN (${statuses}) AND NOT ${hasGoneMember("s")}`;
const videos = videosWith("");

/** For a reel `c`: each of its parts is of a video that can be shared. */
const wholly = `NOT EXISTS (SELECT 1 FROM clip_parts p JOIN slots x ON x.id = p.slot_id LEFT JOIN users w ON w.id = x.playtester_id AND w.deleted_at IS NULL
  WHERE p.clip_id = c.id AND (x.status NOT IN (${statuses}) OR w.id IS NULL OR ${hasGoneMember("x")}))`;

const shown = `SELECT h.*, (SELECT g.name FROM games g JOIN playtests p ON p.game_id = g.id WHERE p.id = h.playtest_id) AS game_name,
  (SELECT COUNT(*) ${videos} AND s.playtest_id = h.playtest_id AND (h.slot_id IS NULL OR s.id = h.slot_id)
    AND (h.clip_id IS NULL OR EXISTS (SELECT 1 FROM clips c WHERE c.id = h.clip_id AND c.status = 'ready' AND ${wholly}))) AS videos FROM shares h`;

export const findForOwner = (q: Query, id: string, ownerId: string) =>
  q.one<ShownShareRow>(`${shown} WHERE h.id = ? AND h.owner_id = ?`, id, ownerId);

export const countOf = (q: Query, ownerId: string) => countRows(q, "shares", { owner_id: ownerId });

/** An owner's shares, the newest first. */
export function list(q: Query, ownerId: string, of: { playtest?: string | undefined; slot?: string | undefined }, page: Page) {
  const given: [sql: string, value: Value | undefined][] = [
    ["AND h.playtest_id = ?", of.playtest],
    ["AND h.slot_id = ?", of.slot],
  ];
  const parts = given.filter((part): part is [string, Value] => part[1] !== undefined);
  return paged(q, page, "h").all<ShownShareRow>(
    `${shown} WHERE h.owner_id = ? ${parts.map(([part]) => part).join(" ")}`,
    ownerId,
    ...parts.map(([, value]) => value),
  );
}

/** The share of a token that has not expired. */
export const findOpen = (q: Query, tokenHash: string, now: number) =>
  q.one<ShareRow>("SELECT * FROM shares WHERE token_hash = ? AND expires_at > ?", tokenHash, now);

/** A share that has expired and is still listed. */
export const findExpired = (q: Query, tokenHash: string, now: number) =>
  q.one<ShareRow>("SELECT * FROM shares WHERE token_hash = ? AND expires_at <= ?", tokenHash, now);

/** The most videos that the page of a playtest lists. */
const mostVideos = 200;

/** The videos that a share shows now, in the order in which they were submitted; with `slotId` only that one. */
export const videosOf = (q: Query, share: Pick<ShareRow, "playtest_id" | "slot_id" | "clip_id">, slotId = share.slot_id) =>
  share.clip_id === null ? wholeVideos(q, share, slotId) : clipOf(q, share, slotId);

const about = "s.id, g.name AS game_name, u.display_name, b.created_at AS submitted_at";

const wholeVideos = (q: Query, { playtest_id, slot_id }: Pick<ShareRow, "playtest_id" | "slot_id">, slotId: string | null) =>
  q.all<SharedVideoRow>(
    `SELECT ${about}, b.blob_key, b.content_type, b.video_duration_ms, i.id AS poster_id, i.at_ms AS poster_at_ms,
        NULL AS clip_at_ms, NULL AS clip_end_ms, NULL AS clip_name, 0 AS is_reel
      ${videosWith(`LEFT JOIN stills i ON i.slot_id = s.id AND ${isPoster} AND i.status = 'ready'`)}
      AND s.playtest_id = ? ${slot_id === null ? "" : "AND s.id = ?"} ${slotId === null ? "" : "AND s.id = ?"}
      ORDER BY b.created_at, s.id LIMIT ${mostVideos}`,
    playtest_id,
    ...(slot_id === null ? [] : [slot_id]),
    ...(slotId === null ? [] : [slotId]),
  );

const clipOf = (q: Query, { clip_id, slot_id }: Pick<ShareRow, "slot_id" | "clip_id">, slotId: string | null) =>
  q.all<SharedVideoRow>(
    `SELECT ${about}, 'clips/' || c.id AS blob_key, 'video/mp4' AS content_type, c.end_ms - c.at_ms AS video_duration_ms,
        i.id AS poster_id, i.at_ms AS poster_at_ms, c.at_ms AS clip_at_ms, c.end_ms AS clip_end_ms, c.name AS clip_name,
        CASE WHEN c.captions IS NULL THEN 0 ELSE 1 END AS is_reel
      ${videosWith(`JOIN clips c ON c.slot_id = s.id AND c.status = 'ready' AND ${wholly}
        LEFT JOIN stills i ON i.clip_id = c.id AND i.status = 'ready'`)} AND c.id = ? AND s.id = ? AND s.id = ?`,
    clip_id,
    slot_id,
    slotId,
  );

export const isGameSuspended = async (q: Query, playtestId: string) =>
  (await q.one(
    "SELECT g.id FROM games g JOIN playtests p ON p.game_id = g.id WHERE p.id = ? AND g.status = 'suspended'",
    playtestId,
  )) !== undefined;

/** Whether the moment belongs to what is shared. */
export const hasMoment = async (q: Query, { playtest_id, slot_id, clip_id }: ShareRow, momentId: string): Promise<boolean> => {
  const moment = await q.one<MomentRow>("SELECT * FROM moments WHERE id = ? AND playtest_id = ?", momentId, playtest_id);
  if (!moment || (slot_id !== null && moment.slot_id !== slot_id)) return false;
  const clip =
    clip_id === null
      ? undefined
      : await q.one<Part>("SELECT at_ms, end_ms FROM clips WHERE id = ? AND captions IS NULL", clip_id);
  return clip_id === null || (clip !== undefined && isWithin(clip, moment.at_ms));
};

/** The moments of a video, in its order. */
export const momentsOf = (q: Query, slotId: string) =>
  q.all<MomentRow & { still_id: string | null }>(
    `SELECT m.*, i.id AS still_id FROM moments m LEFT JOIN stills i ON i.moment_id = m.id AND i.status = 'ready'
      WHERE m.slot_id = ? ORDER BY m.at_ms, m.id`,
    slotId,
  );

export const countView = (tx: Query, id: string, now: number) =>
  tx.run("UPDATE shares SET views = views + 1, last_viewed_at = ? WHERE id = ?", now, id);
