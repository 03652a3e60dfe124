import { type UploadStatus, uploadMoves } from "../../src/contract/states/index.ts";
import { type SourceOf, targetOf } from "../../src/contract/states/moves.ts";
import type { Query } from "../database/port.ts";
import { insertRow } from "../database/rows.ts";
import { stateMachine } from "../database/state-machine.ts";

export type UploadKind = "build" | "video";

export interface UploadRow {
  id: string;
  kind: UploadKind;
  user_id: string;
  game_id: string | null;
  slot_id: string | null;
  size: number;
  filename: string;
  /** What the client said; of a completed video, what its signature says. */
  filetype: string | null;
  sha256: string | null;
  /** `Upload-Metadata` as it came, as JSON. */
  metadata: string;
  status: UploadStatus;
  created_at: number;
  completed_at: number | null;
  expires_at: number;
}

/** Where the finished file is in the blob store. */
export const blobKeyOf = (upload: { id: string; kind: UploadKind }) => `${upload.kind}s/${upload.id}`;

export const find = (q: Query, id: string) => q.one<UploadRow>("SELECT * FROM uploads WHERE id = ?", id);
export const findForUser = (q: Query, id: string, userId: string) =>
  q.one<UploadRow>("SELECT * FROM uploads WHERE id = ? AND user_id = ?", id, userId);

export const insert = (tx: Query, upload: UploadRow) => insertRow(tx, "uploads", upload);

export const setSize = (tx: Query, id: string, size: number) => tx.run("UPDATE uploads SET size = ? WHERE id = ?", size, id);

export const { isIn, tryTransition, transitionFromAny } = stateMachine<UploadRow, typeof uploadMoves>({
  noun: "upload",
  table: "uploads",
  moves: uploadMoves,
});

/** Ends the slot's other uploads of one status; their ids. */
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

export interface SubmittedFile {
  blob_key: string;
  filename: string;
  content_type: string;
}

export const submittedFile = (q: Query, slotId: string) =>
  q.one<SubmittedFile>("SELECT blob_key, filename, content_type FROM submissions WHERE slot_id = ?", slotId);
