import { join } from "node:path";
import { uploadMoves } from "../../src/contract/states/index.ts";
import { type SourceOf, targetOf } from "../../src/contract/states/moves.ts";
import type { Query } from "../database/port.ts";
import { findRow, insertRow, updateRow } from "../database/rows.ts";
import type { New, Tables } from "../database/schema/index.ts";
import { stateMachine } from "../database/state-machine.ts";
import { fileIdOf } from "../lib/row-file.ts";

export type UploadKind = Tables["uploads"]["kind"];

export type UploadRow = Tables["uploads"];

export const folderOf = (dataDir: string) => join(dataDir, "uploads");

/** Where the bytes of an unfinished upload are. */
export const pathOf = (dataDir: string, id: string, generation = 0) =>
  join(folderOf(dataDir), generation === 0 ? fileIdOf(id) : `${fileIdOf(id)}.${generation}`);

/** The id of the upload whose bytes a file in that folder has, in any generation, or a copy that was not finished. */
export const uploadOf = (name: string) => name.split(".")[0]!;

/** Where bytes of an unfinished upload may be, the newest first. */
export const pathsOf = (dataDir: string, id: string, newest: number) =>
  Array.from({ length: newest + 1 }, (_, back) => pathOf(dataDir, id, newest - back));

/** The key of the finished file in the blob store. */
export const blobKeyOf = (upload: { id: string; kind: UploadKind }) => `${upload.kind}s/${upload.id}`;

export const find = (q: Query, id: string) => findRow(q, "uploads", { id });
export const findForUser = (q: Query, id: string, userId: string) => findRow(q, "uploads", { id, user_id: userId });

export const insert = (tx: Query, upload: New<"uploads">) => insertRow(tx, "uploads", upload);

/**
 * What an account's uploads, clips and still images take: all clips and images, and of the uploads those that are unfinished at `now`,
 * builds, and videos that are not submitted. What a slot has for now does not count where that slot is given: a new upload replaces it.
 */
export async function usageOf(
  q: Query,
  userId: string,
  slotId: string | null,
  now: number,
): Promise<{ open: number; bytes: number }> {
  const row = await q.one<{ open: number; bytes: number }>(
    `SELECT COUNT(CASE WHEN status = 'open' THEN 1 END) AS open, CAST(COALESCE(SUM(size), 0) AS BIGINT)
        + CAST((SELECT COALESCE(SUM(c.size), 0) FROM clips c WHERE c.owner_id = ?) AS BIGINT)
        + CAST((SELECT COALESCE(SUM(i.size + COALESCE(i.thumbnail_size, 0)), 0) FROM stills i WHERE i.owner_id = ?) AS BIGINT) AS bytes FROM uploads u
      WHERE user_id = ? AND (slot_id IS NULL OR slot_id <> ?)
        AND ((status = 'open' AND expires_at > ?) OR (status = 'completed' AND (kind = 'build' OR NOT EXISTS (SELECT 1 FROM submissions s WHERE s.slot_id = u.slot_id))))`,
    userId,
    userId,
    userId,
    slotId ?? "",
    now,
  );
  return row!;
}

/** What is known of a file that was sent without its size. */
export const setFound = (tx: Query, id: string, found: Pick<UploadRow, "size" | "sha256">) => updateRow(tx, "uploads", id, found);

export const { isIn, tryTransition, transitionFromAny } = stateMachine({ noun: "upload", table: "uploads", moves: uploadMoves });

/** Marks the slot's other uploads of one status as replaced. Returns their ids. */
export const replace = async (tx: Query, slotId: string, status: SourceOf<typeof uploadMoves, "replace">, exceptId: string) =>
  (
    await tx.all<{ id: string }>(
      "UPDATE uploads SET status = ? WHERE slot_id = ? AND status = ? AND id <> ? RETURNING id",
      targetOf(uploadMoves, "replace"),
      slotId,
      status,
      exceptId,
    )
  ).map((row) => row.id);

/** The latest completed video that nobody looked at, or the latest before another one. */
export const nextToInspect = (q: Query, before?: UploadRow) =>
  q.one<UploadRow>(
    `SELECT * FROM uploads WHERE kind = 'video' AND status = 'completed' AND facts IS NULL ${before ? "AND (completed_at, id) < (?, ?)" : ""}
      ORDER BY completed_at DESC, id DESC LIMIT 1`,
    ...(before ? [before.completed_at, before.id] : []),
  );

/** Stores what a video is made of, also where it is submitted. */
export async function setFacts(tx: Query, upload: UploadRow, facts: string, durationMs: number | null): Promise<void> {
  await tx.run("UPDATE uploads SET facts = ?, duration_ms = COALESCE(duration_ms, ?) WHERE id = ?", facts, durationMs, upload.id);
  await tx.run(
    "UPDATE submissions SET video_facts = ?, video_duration_ms = COALESCE(video_duration_ms, ?) WHERE slot_id = ? AND blob_key = ?",
    facts,
    durationMs,
    upload.slot_id,
    blobKeyOf(upload),
  );
}

export type SubmittedFile = Pick<Tables["submissions"], "blob_key" | "filename" | "content_type">;

export const submittedFile = (q: Query, slotId: string) =>
  q.one<SubmittedFile>("SELECT blob_key, filename, content_type FROM submissions WHERE slot_id = ?", slotId);
