import type { Query } from "../../database/port.ts";
import { buildIdSql } from "../../playtests/slots/builds-store.ts";

/** A video with what was measured of it. */
export interface VideoRow {
  slot_id: string;
  length_ms: number | null;
  /** What its playtester wrote when submitting. */
  notes: string;
  loudness: string | null;
  motion: string | null;
  luma: string | null;
}

/** The most videos that one request looks at. */
const mostVideos = 200;

/** The newest videos of a playtest or game that were not rejected, of one build if it is given. */
export const videosOf = (q: Query, of: "playtest" | "game", id: string, build?: string) =>
  q.all<VideoRow>(
    `SELECT s.id AS slot_id, b.video_duration_ms AS length_ms, b.notes, g.loudness, g.motion, g.luma
      FROM slots s JOIN submissions b ON b.slot_id = s.id
      LEFT JOIN video_signals g ON g.slot_id = s.id AND g.blob_key = b.blob_key AND g.status = 'ready'
      WHERE s.${of}_id = ? AND s.status <> 'rejected' ${build === undefined ? "" : `AND ${buildIdSql} = ?`}
      ORDER BY s.submitted_at DESC, s.id DESC LIMIT CAST(? AS INTEGER)`,
    id,
    ...(build === undefined ? [] : [build]),
    mostVideos,
  );

export const notesOf = (q: Query, of: "playtest" | "game", id: string) =>
  q.all<{ slot_id: string; at_ms: number; severity: number | null }>(
    `SELECT slot_id, at_ms, severity FROM moments WHERE ${of}_id = ? ORDER BY slot_id, at_ms, id`,
    id,
  );
