import { type ClipStatus, type CutLimit, clipMoves } from "../../../src/contract/states/index.ts";
import { keyset, type Page } from "../../database/keyset.ts";
import type { Query } from "../../database/port.ts";
import { insertRow } from "../../database/rows.ts";
import { stateMachine } from "../../database/state-machine.ts";

export interface ClipRow {
  id: string;
  slot_id: string;
  playtest_id: string;
  game_id: string;
  owner_id: string;
  name: string;
  /** Where it begins and ends in the video (ms). */
  at_ms: number;
  end_ms: number;
  status: ClipStatus;
  /** Bytes of the finished clip; the most that it may have while it is pending. */
  size: number;
  /** Why it failed, for the operator. */
  error: string | null;
  /** The limit of the server because of which it failed. */
  limited_by: CutLimit | null;
  created_at: number;
  updated_at: number;
}

/** A clip with its poster, once that is cut. */
export interface ShownClipRow extends ClipRow {
  poster_id: string | null;
  poster_at_ms: number | null;
  thumbnail_size: number | null;
}

const shown = `SELECT c.*, i.id AS poster_id, i.at_ms AS poster_at_ms, i.thumbnail_size FROM clips c
  LEFT JOIN stills i ON i.clip_id = c.id AND i.status = 'ready'`;

/** The key of the finished file in the blob store. */
export const blobKeyOf = ({ id }: Pick<ClipRow, "id">) => `clips/${id}`;

export const insert = (tx: Query, row: ClipRow) => insertRow(tx, "clips", row);
export const remove = (tx: Query, id: string) => tx.run("DELETE FROM clips WHERE id = ?", id);
/** The links to a clip end with it. */
export const removeShares = (tx: Query, id: string) => tx.run("DELETE FROM shares WHERE clip_id = ?", id);
export const find = (q: Query, id: string) => q.one<ClipRow>("SELECT * FROM clips WHERE id = ?", id);
export const findForOwner = (q: Query, id: string, ownerId: string) =>
  q.one<ShownClipRow>(`${shown} WHERE c.id = ? AND c.owner_id = ?`, id, ownerId);

export function list(q: Query, slotId: string, page: Page) {
  const { sql, values } = keyset(page, "c");
  return q.all<ShownClipRow>(`${shown} WHERE c.slot_id = ? ${sql}`, slotId, ...values);
}

export const countOf = async (q: Query, slotId: string) =>
  (await q.one<{ n: number }>("SELECT COUNT(*) AS n FROM clips WHERE slot_id = ?", slotId))!.n;

/** The clips, and the images of moments, that an account waits for. */
export const countPending = async (q: Query, ownerId: string) =>
  (await q.one<{ n: number }>(
    `SELECT (SELECT COUNT(*) FROM clips WHERE owner_id = ? AND status = 'pending')
      + (SELECT COUNT(*) FROM stills WHERE owner_id = ? AND status = 'pending' AND moment_id IS NOT NULL) AS n`,
    ownerId,
    ownerId,
  ))!.n;

export const idsOfOwner = async (q: Query, ownerId: string) =>
  (await q.all<{ id: string }>("SELECT id FROM clips WHERE owner_id = ?", ownerId)).map(({ id }) => id);

export const { transitionFromAny } = stateMachine<ClipRow, typeof clipMoves>({ noun: "clip", table: "clips", moves: clipMoves });
