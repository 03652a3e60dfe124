import type { TranscriptVersion } from "../../src/contract/slots.ts";
import { type TranscriptionStatus, transcriptionMoves } from "../../src/contract/states/index.ts";
import type { Query } from "../database/port.ts";
import { insertRow } from "../database/rows.ts";
import { stateMachine } from "../database/state-machine.ts";

export interface TranscriptionRow {
  id: string;
  slot_id: string;
  status: TranscriptionStatus;
  /** The version that owners download. */
  selected_version: TranscriptVersion | null;
  original_key: string | null;
  edited_key: string | null;
  /** A JSON array of strings. */
  key_takeaways: string;
  error: string | null;
  created_at: number;
  updated_at: number;
}

export const insert = (tx: Query, row: TranscriptionRow) => insertRow(tx, "transcriptions", row);

export const { requireMove, transition, transitionFromAny } = stateMachine<TranscriptionRow, typeof transcriptionMoves>({
  noun: "transcription",
  table: "transcriptions",
  moves: transcriptionMoves,
});

export const findForSlot = (q: Query, slotId: string) =>
  q.one<TranscriptionRow>("SELECT * FROM transcriptions WHERE slot_id = ?", slotId);

export const remove = (tx: Query, id: string) => tx.run("DELETE FROM transcriptions WHERE id = ?", id);

/** The blob of the version that can be downloaded; undefined unless the transcript is approved. */
export function approvedKey({ status, selected_version, original_key, edited_key }: TranscriptionRow): string | undefined {
  if (status !== "approved" || !selected_version) return undefined;
  return (selected_version === "edited" ? edited_key : original_key) ?? undefined;
}
