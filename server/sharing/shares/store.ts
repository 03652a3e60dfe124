import { keyset, type Page } from "../../database/keyset.ts";
import type { Query, Value } from "../../database/port.ts";
import { insertRow } from "../../database/rows.ts";
import type { MomentRow } from "../../playtests/moments/store.ts";
import { shareable } from "./rules.ts";

export interface ShareRow {
  id: string;
  owner_id: string;
  playtest_id: string;
  /** Null for all videos of the playtest. */
  slot_id: string | null;
  token_hash: string;
  /** Sealed with `tokenContext`. */
  token: string;
  password_hash: string | null;
  with_name: number;
  with_moments: number;
  /** A JSON array. */
  moment_ids: string;
  views: number;
  last_viewed_at: number | null;
  created_at: number;
  expires_at: number;
}

/** A share with the name of its game and how many videos it shows now. */
export type ShownShareRow = ShareRow & { game_name: string; videos: number };

/** A video as the page of a share shows it. */
export interface SharedVideoRow {
  id: string;
  game_name: string;
  display_name: string;
  blob_key: string;
  content_type: string;
  video_duration_ms: number | null;
  submitted_at: number;
}

export const tokenContext = (id: string) => `share ${id}`;

export const insert = (tx: Query, row: ShareRow) => insertRow(tx, "shares", row);
export const remove = (tx: Query, id: string) => tx.run("DELETE FROM shares WHERE id = ?", id);

const statuses = shareable.map((status) => `'${status}'`).join(", ");

/** The videos of a share: of accounts that are neither suspended nor deleted, and of slots that wait for review or are paid. */
const videos = `FROM slots s JOIN users o ON o.id = s.owner_id AND o.suspended_at IS NULL AND o.deleted_at IS NULL
  JOIN users u ON u.id = s.playtester_id AND u.deleted_at IS NULL JOIN submissions b ON b.slot_id = s.id JOIN games g ON g.id = s.game_id
  WHERE s.status IN (${statuses})`;

const shown = `SELECT h.*, (SELECT g.name FROM games g JOIN playtests p ON p.game_id = g.id WHERE p.id = h.playtest_id) AS game_name,
  (SELECT COUNT(*) ${videos} AND s.playtest_id = h.playtest_id AND (h.slot_id IS NULL OR s.id = h.slot_id)) AS videos FROM shares h`;

export const findForOwner = (q: Query, id: string, ownerId: string) =>
  q.one<ShownShareRow>(`${shown} WHERE h.id = ? AND h.owner_id = ?`, id, ownerId);

export const countOf = async (q: Query, ownerId: string) =>
  (await q.one<{ n: number }>("SELECT COUNT(*) AS n FROM shares WHERE owner_id = ?", ownerId))!.n;

/** An owner's shares, the newest first. */
export function list(q: Query, ownerId: string, of: { playtest?: string | undefined; slot?: string | undefined }, page: Page) {
  const given: [sql: string, value: Value | undefined][] = [
    ["AND h.playtest_id = ?", of.playtest],
    ["AND h.slot_id = ?", of.slot],
  ];
  const parts = given.filter((part): part is [string, Value] => part[1] !== undefined);
  const { sql, values } = keyset(page, "h");
  return q.all<ShownShareRow>(
    `${shown} WHERE h.owner_id = ? ${parts.map(([part]) => part).join(" ")} ${sql}`,
    ownerId,
    ...parts.map(([, value]) => value),
    ...values,
  );
}

/** The share of a token that has not expired. */
export const findOpen = (q: Query, tokenHash: string, now: number) =>
  q.one<ShareRow>("SELECT * FROM shares WHERE token_hash = ? AND expires_at > ?", tokenHash, now);

/** The most videos that the page of a playtest lists. */
const mostVideos = 200;

/** The videos that a share shows now, in the order in which they were submitted; with `slotId` only that one. */
export const videosOf = (q: Query, { playtest_id, slot_id }: ShareRow, slotId = slot_id) =>
  q.all<SharedVideoRow>(
    `SELECT s.id, g.name AS game_name, u.display_name, b.blob_key, b.content_type, b.video_duration_ms, b.created_at AS submitted_at
      ${videos} AND s.playtest_id = ? ${slot_id === null ? "" : "AND s.id = ?"} ${slotId === null ? "" : "AND s.id = ?"}
      ORDER BY b.created_at, s.id LIMIT ${mostVideos}`,
    playtest_id,
    ...(slot_id === null ? [] : [slot_id]),
    ...(slotId === null ? [] : [slotId]),
  );

/** Whether the moment belongs to what is shared. */
export const hasMoment = async (q: Query, { playtest_id, slot_id }: ShareRow, momentId: string): Promise<boolean> => {
  const moment = await q.one<MomentRow>("SELECT * FROM moments WHERE id = ? AND playtest_id = ?", momentId, playtest_id);
  return moment !== undefined && (slot_id === null || moment.slot_id === slot_id);
};

/** The moments of a video, in its order. */
export const momentsOf = (q: Query, slotId: string) =>
  q.all<MomentRow>("SELECT * FROM moments WHERE slot_id = ? ORDER BY at_ms, id", slotId);

export const countView = (tx: Query, id: string, now: number) =>
  tx.run("UPDATE shares SET views = views + 1, last_viewed_at = ? WHERE id = ?", now, id);
