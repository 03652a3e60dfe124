import { clipMoves } from "../../../src/contract/states/index.ts";
import { type Page, paged } from "../../database/keyset.ts";
import type { Query } from "../../database/port.ts";
import { countRows, deleteWhere, findRow, findRows, insertRow } from "../../database/rows.ts";
import type { New, Tables } from "../../database/schema/index.ts";
import { stateMachine } from "../../database/state-machine.ts";

export type ClipRow = Tables["clips"];

/** A clip with its poster, once that is cut. */
export type ShownClipRow = ClipRow & { poster_id: string | null; poster_at_ms: number | null; thumbnail_size: number | null };

const shown = `SELECT c.*, i.id AS poster_id, i.at_ms AS poster_at_ms, i.thumbnail_size FROM clips c
  LEFT JOIN stills i ON i.clip_id = c.id AND i.status = 'ready'`;

/** The key of the finished file in the blob store. */
export const blobKeyOf = ({ id }: Pick<ClipRow, "id">) => `clips/${id}`;

export const insert = (tx: Query, row: New<"clips">) => insertRow(tx, "clips", row);
export async function remove(tx: Query, id: string): Promise<void> {
  await deleteWhere(tx, "clip_parts", { clip_id: id });
  await deleteWhere(tx, "clips", { id });
}

export type PartRow = Tables["clip_parts"];

export const insertPart = (tx: Query, row: PartRow) => insertRow(tx, "clip_parts", row);
/** The parts of a reel, in its order; none for other clips. */
export const partsOf = (q: Query, clipId: string) => findRows(q, "clip_parts", { clip_id: clipId }, "position");

/** Reels that name this playtester. */
export const naming = async (q: Query, playtesterId: string) =>
  (
    await q.all<{ id: string }>(
      `SELECT DISTINCT c.id FROM clips c JOIN clip_parts p ON p.clip_id = c.id JOIN slots s ON s.id = p.slot_id
        WHERE s.playtester_id = ? AND c.with_name = 1`,
      playtesterId,
    )
  ).map(({ id }) => id);
/** The links to a clip end with it. */
export const removeShares = (tx: Query, id: string) => deleteWhere(tx, "shares", { clip_id: id });
export const find = (q: Query, id: string) => findRow(q, "clips", { id });
export const findForOwner = (q: Query, id: string, ownerId: string) =>
  q.one<ShownClipRow>(`${shown} WHERE c.id = ? AND c.owner_id = ?`, id, ownerId);

export const list = (q: Query, slotId: string, page: Page) =>
  paged(q, page, "c").all<ShownClipRow>(
    `${shown} WHERE (c.slot_id = ? OR EXISTS (SELECT 1 FROM clip_parts p WHERE p.clip_id = c.id AND p.slot_id = ?))`,
    slotId,
    slotId,
  );

export const countOf = (q: Query, slotId: string) => countRows(q, "clips", { slot_id: slotId });

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

export const { transitionFromAny } = stateMachine({ noun: "clip", table: "clips", moves: clipMoves });
