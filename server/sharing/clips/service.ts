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

/** 409 when a slot has as many clips as it may have. */
export async function requireFewClips(tx: Tx, slotId: string): Promise<void> {
  if ((await store.countOf(tx, slotId)) < maxClips) return;
  throw conflict(`A video can have at most ${maxClips} clips. Nothing was made. Delete some first.`);
}

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
  await requireFewClips(tx, slot.id);
  await requireTurn(tx, ownerId);
  const span = { at_ms: atMs, end_ms: endMs };
  return queueClip(deps, tx, slot, { ...span, name: name ?? `${positionText(atMs)}-${positionText(endMs)}`, poster: span });
}

type Slot = Pick<slots.SlotRow, "id" | "playtest_id" | "game_id" | "owner_id">;

interface NewClip extends Pick<store.ClipRow, "name" | "at_ms" | "end_ms"> {
  /** The part of the slot's video (ms) in which its poster is. */
  poster: { at_ms: number; end_ms: number };
  reel?: { captions: number; with_name: number; parts: readonly Omit<store.PartRow, "clip_id" | "position">[] };
}

/** Stores a clip that is to be cut, with the parts of a reel, and queues its cutting and that of its poster. 409 without room. */
export async function queueClip(
  deps: Deps,
  tx: Tx,
  slot: Slot,
  { name, at_ms, end_ms, poster, reel }: NewClip,
): Promise<store.ShownClipRow> {
  const now = tx.now;
  const row = fullRow("clips", {
    id: tx.newId(),
    slot_id: slot.id,
    playtest_id: slot.playtest_id,
    game_id: slot.game_id,
    owner_id: slot.owner_id,
    name,
    at_ms,
    end_ms,
    status: "pending",
    size: deps.config.clips.maxBytes,
    created_at: now,
    updated_at: now,
    ...(reel && { captions: reel.captions, with_name: reel.with_name }),
  });
  await requireRoom(tx, row.owner_id, row.size + maxStillBytes);
  await store.insert(tx, row);
  for (const [position, part] of (reel?.parts ?? []).entries())
    await store.insertPart(tx, { clip_id: row.id, position, ...part });
  // Before the clip, which takes longer: whoever waits for the clip then sees both.
  const length_ms = poster.end_ms - poster.at_ms;
  await queueStill(tx, posterFor(deps, { ...row, clip_id: row.id, at_ms: poster.at_ms, length_ms }));
  await tx.schedule({ kind: "cut-clip", key: row.id, payload: { clipId: row.id }, account: row.owner_id, runAt: now });
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

/** Removes the reels that name a playtester. */
export async function removeReelsNaming(tx: Tx, playtesterId: string): Promise<void> {
  for (const id of await store.naming(tx, playtesterId)) await removeClip(tx, id);
}

/** Removes all clips of an account. */
export async function removeClipsOf(tx: Tx, ownerId: string): Promise<void> {
  for (const id of await store.idsOfOwner(tx, ownerId)) await removeClip(tx, id);
}
