import type { BodyOut } from "../../../src/contract/endpoint.ts";
import type { Contract } from "../../../src/contract/index.ts";
import type { Deps } from "../../app/deps.ts";
import type { Tx } from "../../app/tx.ts";
import { conflict, notFound } from "../../lib/api-error.ts";
import { queueIndexing } from "../../search/queue.ts";
import * as search from "../../search/store.ts";
import * as findings from "../findings/store.ts";
import { buildOf } from "../slots/builds-store.ts";
import * as slots from "../slots/store.ts";
import { moveStill, removeOfMoment } from "./stills.ts";
import * as store from "./store.ts";
import { requireWithin } from "./within.ts";

/** Moments of a video, as its owner notes and changes them. Each function runs inside the caller's transaction. */

/** The most moments of one video. */
const maxMoments = 5_000;

/** Notes a moment. 404 when the slot is not the owner's, 409 without a video, 422 for a position outside of it. */
export async function create(
  tx: Tx,
  ownerId: string,
  slotId: string,
  { atMs, endMs = null, kind, severity = null, text, tags }: BodyOut<Contract["createMoment"]>,
): Promise<store.MomentRow> {
  const slot = await slots.findForOwner(tx, slotId, ownerId);
  if (!slot) throw notFound();
  if (slot.submission_id === null)
    throw conflict("This slot has no video yet. Nothing was noted. Wait until its playtester has submitted one.");
  if ((await store.countOf(tx, slot.id)) >= maxMoments)
    throw conflict(`A video can have at most ${maxMoments} moments. Nothing was noted. Delete some first.`);
  const now = tx.now;
  const row: store.MomentRow = {
    id: tx.newId(),
    slot_id: slot.id,
    playtest_id: slot.playtest_id,
    game_id: slot.game_id,
    owner_id: ownerId,
    author_id: ownerId,
    build_id: (await buildOf(tx, slot))?.id ?? null,
    at_ms: atMs,
    end_ms: endMs,
    kind,
    severity,
    body: text,
    tags: JSON.stringify(tags),
    created_at: now,
    updated_at: now,
  };
  requireWithin(row, slot.video_duration_ms);
  await store.insert(tx, row);
  await queueIndexing(tx, { what: "moment", slotId: slot.id, momentId: row.id });
  return row;
}

export async function change(
  deps: Deps,
  tx: Tx,
  row: store.MomentRow,
  { atMs, endMs, kind, severity, text, tags }: BodyOut<Contract["updateMoment"]>,
): Promise<void> {
  const changes = {
    ...(atMs !== undefined && { at_ms: atMs }),
    ...(endMs !== undefined && { end_ms: endMs }),
    ...(kind !== undefined && { kind }),
    ...(severity !== undefined && { severity }),
    ...(text !== undefined && { body: text }),
    ...(tags !== undefined && { tags: JSON.stringify(tags) }),
  };
  const slot = await slots.findDetail(tx, row.slot_id);
  requireWithin({ ...row, ...changes }, slot?.video_duration_ms ?? null);
  await store.update(tx, row.id, { ...changes, updated_at: tx.now });
  if (atMs !== undefined && atMs !== row.at_ms) await moveStill(deps, tx, row.id, atMs);
  if (text !== undefined || atMs !== undefined)
    await queueIndexing(tx, { what: "moment", slotId: row.slot_id, momentId: row.id });
}

export async function remove(tx: Tx, { id, slot_id }: store.MomentRow): Promise<void> {
  await removeOfMoment(tx, id);
  await findings.removeOfMoment(tx, id);
  await store.remove(tx, id);
  await search.remove(tx, slot_id, { momentId: id });
}
