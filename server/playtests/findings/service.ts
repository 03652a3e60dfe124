import type { BodyOut } from "../../../src/contract/endpoint.ts";
import type { EventKind } from "../../../src/contract/events/kinds.ts";
import { maxEvidence } from "../../../src/contract/findings/limits.ts";
import { type FindingStatus, isClosed } from "../../../src/contract/findings/statuses.ts";
import type { Contract } from "../../../src/contract/index.ts";
import type { Tx } from "../../app/tx.ts";
import type { Query } from "../../database/port.ts";
import { emit } from "../../events/emit.ts";
import { conflict, invalid, notFound } from "../../lib/api-error.ts";
import { queueIndexing } from "../../search/queue.ts";
import * as search from "../../search/store.ts";
import * as moments from "../moments/store.ts";
import { requireWithin } from "../moments/within.ts";
import type { SlotDetailRow } from "../slots/store.ts";
import * as slots from "../slots/store.ts";
import * as store from "./store.ts";

/** Findings, as their owner makes and changes them. Each function runs inside the caller's transaction. */

/** The most findings of one game, with those that were merged. */
const maxFindings = 2000;

type FindingEvent = Extract<EventKind, `finding.${string}`>;

/** Tells the owner's webhooks and scripts. */
async function announce(tx: Tx, kind: FindingEvent, row: store.FindingRow, into?: store.FindingRow): Promise<void> {
  const { number, title, status } = row;
  const data = { findingId: row.id, gameId: row.game_id, number, title, status, ...(into && { intoId: into.id }) };
  const notice = { finding: `#${number} “${title}”`, ...(into && { intoFinding: `#${into.number}` }) };
  await emit(tx, [{ id: row.owner_id, role: "game_owner" }], { kind, data, notice });
}

const index = (tx: Tx, { id }: store.FindingRow) => queueIndexing(tx, { what: "finding", id });

type New = Pick<store.FindingRow, "game_id" | "owner_id" | "title" | "body" | "kind" | "severity" | "tags" | "status">;

async function add(tx: Tx, made: New): Promise<store.FindingRow> {
  if ((await store.countOf(tx, made.game_id)) >= maxFindings)
    throw conflict(`A game can have at most ${maxFindings} findings. Nothing was created. Merge or delete some first.`);
  const number = await store.nextNumber(tx, made.game_id);
  const closed_at = isClosed(made.status) ? tx.now : null;
  const row = { id: tx.newId(), ...made, number, merged_into: null, closed_at, created_at: tx.now, updated_at: tx.now };
  await store.insert(tx, row);
  await index(tx, row);
  await announce(tx, "finding.created", row);
  return row;
}

export const create = (
  tx: Tx,
  ownerId: string,
  gameId: string,
  { title, text, kind, severity = null, tags, status }: Omit<BodyOut<Contract["createFinding"]>, "evidence">,
): Promise<store.FindingRow> =>
  add(tx, { game_id: gameId, owner_id: ownerId, title, body: text, kind, severity, tags: JSON.stringify(tags), status });

/** 409 for a finding that was merged into another. */
async function requireOwn(tx: Tx, { merged_into, owner_id, number }: store.FindingRow): Promise<void> {
  if (merged_into === null) return;
  const into = await store.findForOwner(tx, merged_into, owner_id);
  throw conflict(`#${number} was merged into #${into?.number}. Nothing was changed. Change that one, or undo the merge.`);
}

export async function change(
  tx: Tx,
  row: store.FindingRow,
  { title, text, kind, severity, tags, status }: BodyOut<Contract["updateFinding"]>,
): Promise<void> {
  await requireOwn(tx, row);
  const moved = status !== undefined && isClosed(status) !== isClosed(row.status);
  const changes = {
    ...(title !== undefined && { title }),
    ...(text !== undefined && { body: text }),
    ...(kind !== undefined && { kind }),
    ...(severity !== undefined && { severity }),
    ...(tags !== undefined && { tags: JSON.stringify(tags) }),
    ...(status !== undefined && { status }),
    ...(moved && { closed_at: isClosed(status) ? tx.now : null }),
  };
  await store.update(tx, row.id, { ...changes, updated_at: tx.now });
  if (title !== undefined || text !== undefined) await index(tx, row);
  if (moved) await announce(tx, isClosed(status) ? "finding.closed" : "finding.reopened", { ...row, ...changes });
}

/**
 * Gives a finding the status that its issue or newer builds say. `closedAt` (ms) is when it was closed, if that was not now: builds that
 * came later say whether it is gone.
 */
export async function follow(tx: Tx, row: store.FindingRow, status: FindingStatus, closedAt = tx.now): Promise<void> {
  if (row.status === status) return;
  await change(tx, row, { status });
  if (isClosed(status) && !isClosed(row.status)) await store.update(tx, row.id, { closed_at: Math.min(closedAt, tx.now) });
}

/** Removes a finding and those that were merged into it. */
export async function remove(tx: Tx, row: store.FindingRow): Promise<void> {
  for (const id of await store.remove(tx, row.id)) await search.remove(tx, id, {});
}

type Given = BodyOut<Contract["addEvidence"]>;
export type Span = Required<Pick<Given, "slotId" | "fromMs">> & { toMs: number | null; quote: string | null };

/** What a body says is evidence: a moment, or a span of a video. 422 if it is neither or both. */
export function spanOrMoment({ momentId, slotId, fromMs, toMs, quote }: Given): { momentId: string } | Span {
  if (momentId !== undefined) {
    const extra = Object.entries({ slotId, fromMs, toMs, quote }).find(([, value]) => value !== undefined);
    if (extra) throw invalid(extra[0], "must be left out with momentId, which says where it is");
    return { momentId };
  }
  if (slotId === undefined) throw invalid("slotId", "must be given, or momentId");
  if (fromMs === undefined) throw invalid("fromMs", "must be given with slotId");
  return { slotId, fromMs, toMs: toMs ?? null, quote: quote ?? null };
}

type Place = Pick<store.EvidenceRow, "slot_id" | "moment_id" | "at_ms" | "end_ms" | "quote">;

async function momentPlace(tx: Tx, finding: store.FindingRow, momentId: string): Promise<Place> {
  const moment = await moments.findForOwner(tx, momentId, finding.owner_id);
  if (!moment || moment.game_id !== finding.game_id) throw notFound();
  const other = await store.findOfMoment(tx, moment.id);
  if (other) throw conflict(`This moment is evidence of #${other.number} already. Nothing was added.`);
  return { slot_id: moment.slot_id, moment_id: moment.id, at_ms: moment.at_ms, end_ms: moment.end_ms, quote: null };
}

/** 404 for a slot that is not the owner's. */
export async function requireSlot(q: Query, slotId: string, ownerId: string): Promise<SlotDetailRow> {
  const slot = await slots.findForOwner(q, slotId, ownerId);
  if (!slot) throw notFound();
  return slot;
}

async function spanPlace(tx: Tx, finding: store.FindingRow, { slotId, fromMs, toMs, quote }: Span): Promise<Place> {
  const slot = await requireSlot(tx, slotId, finding.owner_id);
  if (slot.game_id !== finding.game_id) throw notFound();
  if (slot.submission_id === null) throw conflict("This slot has no video yet. Nothing was added.");
  requireWithin({ at_ms: fromMs, end_ms: toMs }, slot.video_duration_ms, { at: "fromMs", end: "toMs" });
  return { slot_id: slot.id, moment_id: null, at_ms: fromMs, end_ms: toMs, quote };
}

/** Adds a moment or a span of a video of the same game. 404 for what is not there, 409 for a moment that belongs to a finding. */
export async function addEvidence(tx: Tx, row: store.FindingRow, given: { momentId: string } | Span): Promise<void> {
  await requireOwn(tx, row);
  await requireRoom(tx, row, 1);
  const place = "momentId" in given ? await momentPlace(tx, row, given.momentId) : await spanPlace(tx, row, given);
  const of = { finding_id: row.id, game_id: row.game_id, owner_id: row.owner_id };
  await store.insertEvidence(tx, { id: tx.newId(), ...of, ...place, created_at: tx.now });
  await store.update(tx, row.id, { updated_at: tx.now });
}

async function requireRoom(tx: Tx, row: store.FindingRow, more: number): Promise<void> {
  if ((await store.countEvidence(tx, row.id)) + more > maxEvidence)
    throw conflict(`A finding can have at most ${maxEvidence} pieces of evidence. Nothing was changed.`);
}

export async function removeEvidence(tx: Tx, row: store.FindingRow, id: string): Promise<void> {
  await requireOwn(tx, row);
  if (!(await store.removeEvidence(tx, row.id, id))) throw notFound();
  await store.update(tx, row.id, { updated_at: tx.now });
}

async function note(
  tx: Tx,
  kind: store.ChangeRow["kind"],
  from: store.FindingRow,
  to: store.FindingRow,
  evidence: readonly string[],
): Promise<void> {
  const between = { from_id: from.id, to_id: to.id, owner_id: from.owner_id };
  const change = { id: tx.newId(), kind, ...between, evidence_ids: JSON.stringify(evidence) };
  await store.insertChange(tx, { ...change, created_at: tx.now, undone_at: null });
}

/** Moves all evidence of `other` to `row`. `other` stays as one that was merged. */
export async function merge(tx: Tx, row: store.FindingRow, other: store.FindingRow): Promise<void> {
  if (row.id === other.id) throw invalid("findingId", "must be another finding");
  if (row.game_id !== other.game_id) throw notFound();
  await requireOwn(tx, row);
  await requireOwn(tx, other);
  const evidence = await store.evidenceOf(tx, "finding", other.id);
  await requireRoom(tx, row, evidence.length);
  await moveAll(tx, other, row);
  const ids = evidence.map(({ id }) => id);
  await note(tx, "merge", other, row, ids);
  await announce(tx, "finding.merged", other, row);
}

/** `from` becomes one that was merged into `to`. */
async function moveAll(tx: Tx, from: store.FindingRow, to: store.FindingRow): Promise<void> {
  await store.moveEvidence(tx, from.id, to.id);
  await store.update(tx, from.id, { merged_into: to.id, updated_at: tx.now });
  await store.update(tx, to.id, { updated_at: tx.now });
  await search.remove(tx, from.id, {});
}

/** Moves some evidence to a new finding. 404 if one of the ids is not evidence of this one. */
export async function split(
  tx: Tx,
  row: store.FindingRow,
  { evidenceIds, title }: BodyOut<Contract["splitFinding"]>,
): Promise<store.FindingRow> {
  await requireOwn(tx, row);
  const { game_id, owner_id, kind, severity, tags } = row;
  const made = await add(tx, { game_id, owner_id, title, body: "", kind, severity, tags, status: "open" });
  const moved = await store.moveEvidence(tx, row.id, made.id, evidenceIds);
  if (moved < evidenceIds.length) throw notFound();
  await store.update(tx, row.id, { updated_at: tx.now });
  await note(tx, "split", row, made, evidenceIds);
  return made;
}

/** 409 unless a change is the last one of both its findings: what a later one moved would be in the wrong place. */
async function requireLast(tx: Tx, change: store.ChangeRow, both: readonly store.FindingRow[]): Promise<void> {
  for (const { id, number } of both)
    if ((await store.lastChange(tx, id))?.id !== change.id)
      throw conflict(`#${number} was merged or split since. Nothing was changed. Undo that first.`);
}

/**
 * Undoes the last merge or split of a finding. What a merge moved goes back, as far as it is still there. What was split off ends as one
 * that is merged, with all that it got since.
 */
export async function undo(tx: Tx, row: store.FindingRow): Promise<void> {
  const change = await store.lastChange(tx, row.id);
  if (!change) throw conflict(`#${row.number} has no merge or split to undo. Nothing was changed.`);
  const ends = [change.from_id, change.to_id].map((id) => store.findForOwner(tx, id, row.owner_id));
  const [from, to] = (await Promise.all(ends)) as [store.FindingRow, store.FindingRow];
  await requireLast(tx, change, [from, to]);
  if (change.kind === "split") await moveAll(tx, to, from);
  else await restore(tx, from, to, JSON.parse(change.evidence_ids) as string[]);
  await store.endChange(tx, change.id, tx.now);
}

async function restore(tx: Tx, from: store.FindingRow, to: store.FindingRow, evidence: readonly string[]): Promise<void> {
  if (evidence.length > 0) await store.moveEvidence(tx, to.id, from.id, evidence);
  await store.update(tx, from.id, { merged_into: null, updated_at: tx.now });
  await store.update(tx, to.id, { updated_at: tx.now });
  await index(tx, from);
}
