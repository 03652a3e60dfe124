import { clipMoves } from "../../../src/contract/states/index.ts";
import type { Query } from "../../database/port.ts";
import { deleteWhere, findRow, insertRow } from "../../database/rows.ts";
import type { New, Tables } from "../../database/schema/index.ts";
import { stateMachine } from "../../database/state-machine.ts";

export type StillRow = Tables["stills"];

/** The keys of the finished image and its small copy in the blob store. */
export const blobKeyOf = ({ id }: Pick<StillRow, "id">) => `stills/${id}`;
export const thumbnailKeyOf = ({ id }: Pick<StillRow, "id">) => `thumbnails/${id}`;

export const insert = (tx: Query, row: New<"stills">) => insertRow(tx, "stills", row);
export const remove = (tx: Query, id: string) => deleteWhere(tx, "stills", { id });
export const find = (q: Query, id: string) => findRow(q, "stills", { id });
export const ofMoment = (q: Query, momentId: string) => findRow(q, "stills", { moment_id: momentId });
export const ofClip = (q: Query, clipId: string) => findRow(q, "stills", { clip_id: clipId });

/** Of a still `i`: it is the poster of a whole video. */
export const isPoster = "i.moment_id IS NULL AND i.clip_id IS NULL";

/** The poster of a video, once it is cut. */
export const posterOf = (q: Query, slotId: string) =>
  q.one<StillRow>(`SELECT * FROM stills i WHERE i.slot_id = ? AND ${isPoster} AND i.status = 'ready'`, slotId);

export const idsOfOwner = async (q: Query, ownerId: string) =>
  (await q.all<{ id: string }>("SELECT id FROM stills WHERE owner_id = ?", ownerId)).map(({ id }) => id);

/** What a poster is cut from: a video, or a part of it. */
export interface PosterSource {
  /** Of the submission or the clip. */
  id: string;
  slot_id: string;
  clip_id: string | null;
  owner_id: string;
  /** Where it begins in the video, and how long it is (ms). */
  at_ms: number;
  length_ms: number | null;
}

const sources = `SELECT b.id, b.slot_id, NULL AS clip_id, s.owner_id, s.playtester_id, 0 AS at_ms, b.video_duration_ms AS length_ms
  FROM submissions b JOIN slots s ON s.id = b.slot_id`;

export const posterSource = (q: Query, slotId: string) =>
  q.one<PosterSource & { playtester_id: string }>(`${sources} WHERE b.slot_id = ?`, slotId);

const nextVideo = (q: Query, before?: string) =>
  q.one<PosterSource>(
    `${sources} JOIN users o ON o.id = s.owner_id AND o.deleted_at IS NULL
      WHERE NOT EXISTS (SELECT 1 FROM stills i WHERE i.slot_id = b.slot_id AND ${isPoster})
        ${before === undefined ? "" : "AND b.id < ?"} ORDER BY b.id DESC LIMIT 1`,
    ...(before === undefined ? [] : [before]),
  );

const nextClip = (q: Query, before?: string) =>
  q.one<PosterSource>(
    `SELECT c.id, c.slot_id, c.id AS clip_id, c.owner_id, COALESCE(p.at_ms, c.at_ms) AS at_ms,
        COALESCE(p.end_ms, c.end_ms) - COALESCE(p.at_ms, c.at_ms) AS length_ms
      FROM clips c LEFT JOIN clip_parts p ON p.clip_id = c.id AND p.position = 0
      WHERE c.status = 'ready' AND NOT EXISTS (SELECT 1 FROM stills i WHERE i.clip_id = c.id)
        ${before === undefined ? "" : "AND c.id < ?"} ORDER BY c.id DESC LIMIT 1`,
    ...(before === undefined ? [] : [before]),
  );

/** The newest video, and after all videos the newest clip, whose poster was never cut; or the next one after `last`. */
export const nextWithoutPoster = async (q: Query, last?: PosterSource) =>
  (last === undefined || last.clip_id === null ? await nextVideo(q, last?.id) : undefined) ??
  nextClip(q, last?.clip_id ?? undefined);

export const { transitionFromAny } = stateMachine({ noun: "still", table: "stills", moves: clipMoves });
