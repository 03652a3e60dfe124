import type { BodyOut } from "../../../src/contract/endpoint.ts";
import type { Contract } from "../../../src/contract/index.ts";
import { longestClipMs } from "../../../src/contract/sharing/kinds.ts";
import { positionText } from "../../../src/contract/text/position.ts";
import type { Deps } from "../../app/deps.ts";
import type { Query } from "../../database/port.ts";
import { conflict, invalid, notConfigured, notFound } from "../../lib/problem.ts";
import { requireWithin } from "../../playtests/moments/within.ts";
import * as slots from "../../playtests/slots/store.ts";
import { requireFreeSpace, requireRoom } from "../../uploads/room.ts";
import * as store from "./store.ts";

/** Clips of one slot, at most. */
const maxClips = 100;

/** 503 on a server without ffmpeg. */
export function requireCutter({ cutter }: Pick<Deps, "cutter">): void {
  if (cutter) return;
  throw notConfigured(
    'This server cannot cut clips. Nothing was made. Its operator can install ffmpeg and set `clips.ffmpeg` to ["ffmpeg"] in its configuration.',
  );
}

/**
 * Creates a clip and queues its cutting, inside the caller's transaction. 404 when the slot is not the owner's, 409 without a video or
 * room, 422 for a position outside of the video.
 */
export async function createClip(
  deps: Deps,
  tx: Query,
  ownerId: string,
  slotId: string,
  { atMs, endMs, name }: BodyOut<Contract["createClip"]>,
): Promise<store.ClipRow> {
  const slot = await slots.findForOwner(tx, slotId, ownerId);
  if (!slot) throw notFound();
  if (slot.submission_id === null) throw conflict("This slot has no video yet. Nothing was made.");
  requireWithin({ at_ms: atMs, end_ms: endMs }, slot.video_duration_ms);
  if (endMs - atMs > longestClipMs) throw invalid("endMs", `must be at most ${longestClipMs / 60_000} minutes after atMs`);
  if ((await store.countOf(tx, slot.id)) >= maxClips)
    throw conflict(`A video can have at most ${maxClips} clips. Nothing was made. Delete some first.`);
  const now = deps.clock.now();
  const row: store.ClipRow = {
    id: deps.newId(),
    slot_id: slot.id,
    playtest_id: slot.playtest_id,
    game_id: slot.game_id,
    owner_id: ownerId,
    name: name ?? `${positionText(atMs)}-${positionText(endMs)}`,
    at_ms: atMs,
    end_ms: endMs,
    status: "pending",
    size: deps.config.clips.maxBytes,
    error: null,
    created_at: now,
    updated_at: now,
  };
  await requireRoom(deps, tx, ownerId, row.size);
  await store.insert(tx, row);
  await deps.jobs.schedule(tx, { kind: "cut-clip", key: row.id, payload: { clipId: row.id }, runAt: now });
  return row;
}

/** Before the transaction: 503 when the disk is nearly full. */
export const requireDisk = (deps: Deps) => requireFreeSpace(deps, deps.config.clips.maxBytes);

/** Removes a clip, and its file after the commit. */
export async function removeClip(deps: Deps, tx: Query, id: string): Promise<void> {
  await store.remove(tx, id);
  await deps.jobs.schedule(tx, { kind: "discard-clip", key: id, payload: { clipId: id }, runAt: deps.clock.now() });
}

/** Removes all clips of an account. */
export async function removeClipsOf(deps: Deps, tx: Query, ownerId: string): Promise<void> {
  for (const id of await store.idsOfOwner(tx, ownerId)) await removeClip(deps, tx, id);
}
