import type { BodyOut } from "../../../src/contract/endpoint.ts";
import type { Contract } from "../../../src/contract/index.ts";
import { longestClipMs } from "../../../src/contract/sharing/kinds.ts";
import { positionText } from "../../../src/contract/text/position.ts";
import type { Deps } from "../../app/deps.ts";
import type { Tx } from "../../app/tx.ts";
import { fullRow } from "../../database/rows.ts";
import { conflict, invalid, notFound } from "../../lib/api-error.ts";
import { maxStillBytes, posterFor, queueStill, removeStill } from "../../playtests/moments/stills.ts";
import * as stills from "../../playtests/moments/stills-store.ts";
import { requireWithin } from "../../playtests/moments/within.ts";
import * as slots from "../../playtests/slots/store.ts";
import { requireRoom } from "../../uploads/room.ts";
import { requireTurn } from "../requirements.ts";
import * as store from "./store.ts";

/** Clips of one slot, at most. */
const maxClips = 100;

/**
 * Creates a clip and queues its cutting, inside the caller's transaction. 404 when the slot is not the owner's, 409 without a video or
 * room, 422 for a position outside of the video.
 */
export async function createClip(
  deps: Deps,
  tx: Tx,
  ownerId: string,
  slotId: string,
  { atMs, endMs, name }: BodyOut<Contract["createClip"]>,
): Promise<store.ShownClipRow> {
  const slot = await slots.findForOwner(tx, slotId, ownerId);
  if (!slot) throw notFound();
  if (slot.submission_id === null) throw conflict("This slot has no video yet. Nothing was made.");
  requireWithin({ at_ms: atMs, end_ms: endMs }, slot.video_duration_ms);
  if (endMs - atMs > longestClipMs) throw invalid("endMs", `must be at most ${longestClipMs / 60_000} minutes after atMs`);
  if ((await store.countOf(tx, slot.id)) >= maxClips)
    throw conflict(`A video can have at most ${maxClips} clips. Nothing was made. Delete some first.`);
  await requireTurn(tx, ownerId);
  const now = tx.now;
  const row = fullRow("clips", {
    id: tx.newId(),
    slot_id: slot.id,
    playtest_id: slot.playtest_id,
    game_id: slot.game_id,
    owner_id: ownerId,
    name: name ?? `${positionText(atMs)}-${positionText(endMs)}`,
    at_ms: atMs,
    end_ms: endMs,
    status: "pending",
    size: deps.config.clips.maxBytes,
    created_at: now,
    updated_at: now,
  });
  await requireRoom(tx, ownerId, row.size + maxStillBytes);
  await store.insert(tx, row);
  // Before the clip, which takes longer: whoever waits for the clip then sees both.
  await queueStill(tx, posterFor(deps, { ...row, clip_id: row.id, length_ms: endMs - atMs }));
  await tx.schedule({ kind: "cut-clip", key: row.id, payload: { clipId: row.id }, account: ownerId, runAt: now });
  return { ...row, poster_id: null, poster_at_ms: null, thumbnail_size: null };
}

/** Removes a clip with the links to it and its poster, and the files after the commit. */
export async function removeClip(tx: Tx, id: string): Promise<void> {
  const poster = await stills.ofClip(tx, id);
  if (poster) await removeStill(tx, poster.id);
  await store.removeShares(tx, id);
  await store.remove(tx, id);
  await tx.schedule({ kind: "discard-clip", key: id, payload: { clipId: id }, runAt: tx.now });
}

/** Removes all clips of an account. */
export async function removeClipsOf(tx: Tx, ownerId: string): Promise<void> {
  for (const id of await store.idsOfOwner(tx, ownerId)) await removeClip(tx, id);
}
