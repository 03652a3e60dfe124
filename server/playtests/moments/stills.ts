import type { Deps } from "../../app/deps.ts";
import type { Tx } from "../../app/tx.ts";
import { fullRow } from "../../database/rows.ts";
import * as store from "./stills-store.ts";

/**
 * Still images of videos. They are part of moments, which take them along when they move or go; what cuts them is in `sharing/stills`. Each
 * function runs inside the caller's transaction.
 */

/** The most that an image has together with its small copy (bytes). */
export const maxStillBytes = 2 * 1024 * 1024;

type Wanted = Pick<store.StillRow, "slot_id" | "moment_id" | "clip_id" | "owner_id" | "at_ms">;

/** A still that is to be cut. */
export function newStill(deps: Deps, { slot_id, moment_id, clip_id, owner_id, at_ms }: Wanted): store.StillRow {
  const now = deps.clock.now();
  const wanted = { slot_id, moment_id, clip_id, owner_id, at_ms, size: maxStillBytes };
  return fullRow("stills", { id: deps.newId(), ...wanted, status: "pending", created_at: now, updated_at: now });
}

/** Stores a still and queues its cutting, for its owner or, with `account`, for whoever caused it. */
export async function queueStill(tx: Tx, row: store.StillRow, account = row.owner_id): Promise<void> {
  await store.insert(tx, row);
  await tx.scheduleNew([{ kind: "cut-still", key: row.id, payload: { stillId: row.id }, account, runAt: tx.now }]);
}

/** Removes a still, and its file after the commit. */
export async function removeStill(tx: Tx, id: string): Promise<void> {
  await store.remove(tx, id);
  await tx.scheduleNew([{ kind: "discard-still", key: id, payload: { stillId: id }, runAt: tx.now }]);
}

/** Removes the still of a moment, if it has one. */
export async function removeOfMoment(tx: Tx, momentId: string): Promise<store.StillRow | undefined> {
  const still = await store.ofMoment(tx, momentId);
  if (still) await removeStill(tx, still.id);
  return still;
}

/** Cuts the still of a moment again, which has moved to `atMs`. Without ffmpeg the moment has none from then on. */
export async function moveStill(deps: Deps, tx: Tx, momentId: string, atMs: number): Promise<void> {
  const still = await removeOfMoment(tx, momentId);
  if (still && deps.cutter) await queueStill(tx, newStill(deps, { ...still, at_ms: atMs }));
}

/** A clip's poster, or a video's: the first frames are often black, so a tenth of it, but not beyond its first half minute. */
export function posterFor(deps: Deps, { slot_id, clip_id, owner_id, at_ms, length_ms }: store.PosterSource): store.StillRow {
  const within = Math.min(30_000, Math.floor((length_ms ?? 0) / 10));
  return newStill(deps, { slot_id, moment_id: null, clip_id, owner_id, at_ms: at_ms + within });
}
