import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Deps } from "../app/deps.ts";
import type { Tx } from "../app/tx.ts";
import type { Query } from "../database/port.ts";
import { scheduleDiscardFiles } from "../jobs/discard-files.ts";
import { conflict, notFound } from "../lib/api-error.ts";
import * as slots from "../playtests/slots/store.ts";
import { queueIndexing } from "../search/queue.ts";
import * as store from "./store.ts";

/** Stores the text of an edited transcript. Returns its blob key. */
export async function storeText(deps: Deps, vtt: string): Promise<string> {
  const id = deps.newId();
  const folder = join(deps.dataDir, "transcribing");
  await mkdir(folder, { recursive: true });
  const path = join(folder, `${id}.vtt`);
  try {
    await writeFile(path, vtt);
    await deps.blobs.put(`transcripts/${id}`, path);
  } finally {
    await rm(path, { force: true });
  }
  return `transcripts/${id}`;
}

/** The transcription of an owner's slot, if there is one. 409 before the video is submitted and while it is being transcribed. */
export async function requireEditable(q: Query, slotId: string, ownerId: string): Promise<store.TranscriptionRow | undefined> {
  const slot = await slots.findForOwner(q, slotId, ownerId);
  if (!slot) throw notFound();
  if (slot.submission_id === null) throw conflict("This slot has no video yet. Nothing was changed.");
  const row = await store.findForSlot(q, slotId);
  return row && store.requireMove(row, "edit");
}

/** After the commit: links to an edited version that was replaced end with it. */
const discard = (tx: Tx, { edited_key: key }: store.TranscriptionRow) =>
  scheduleDiscardFiles(tx, { blobs: key === null ? [] : [key] });

/** Makes the text under `key` the version that owners download, in the place of an earlier edited one. */
export async function selectEdited(tx: Tx, slotId: string, ownerId: string, key: string): Promise<void> {
  const row = await requireEditable(tx, slotId, ownerId);
  const now = tx.now;
  const edited = { selected_version: "edited" as const, edited_key: key, updated_at: now };
  if (row) {
    await store.transitionFromAny(tx, row, "edit", edited);
    await discard(tx, row);
  } else
    await store.insert(tx, {
      ...edited,
      id: tx.newId(),
      slot_id: slotId,
      status: "approved",
      key_takeaways: "[]",
      created_at: now,
    });
  await queueIndexing(tx, { what: "transcript", slotId });
}

/** Returns to the automatic version; without one the slot has no transcript. False when it was not edited. */
export async function removeEdited(tx: Tx, slotId: string, ownerId: string): Promise<boolean> {
  const row = await requireEditable(tx, slotId, ownerId);
  if (!row) throw notFound();
  if (row.edited_key === null) return false;
  if (row.original_key === null) await store.remove(tx, row.id);
  else
    await store.transitionFromAny(tx, row, "revert", {
      selected_version: "original",
      edited_key: null,
      updated_at: tx.now,
    });
  await queueIndexing(tx, { what: "transcript", slotId });
  await discard(tx, row);
  return true;
}
