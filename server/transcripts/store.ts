import { transcriptionMoves } from "../../src/contract/states/index.ts";
import type { Query } from "../database/port.ts";
import { deleteWhere, findRow, insertRow } from "../database/rows.ts";
import type { New, Tables } from "../database/schema/index.ts";
import { stateMachine } from "../database/state-machine.ts";

export type TranscriptionRow = Tables["transcriptions"];

export const insert = (tx: Query, row: New<"transcriptions">) => insertRow(tx, "transcriptions", row);

export const { requireMove, transition, transitionFromAny } = stateMachine({
  noun: "transcription",
  table: "transcriptions",
  moves: transcriptionMoves,
});

export const findForSlot = (q: Query, slotId: string) => findRow(q, "transcriptions", { slot_id: slotId });

export const remove = (tx: Query, id: string) => deleteWhere(tx, "transcriptions", { id });

/** The blob of the version that can be downloaded; undefined unless the transcript is approved. */
export function approvedKey({ status, selected_version, original_key, edited_key }: TranscriptionRow): string | undefined {
  if (status !== "approved" || !selected_version) return undefined;
  return (selected_version === "edited" ? edited_key : original_key) ?? undefined;
}
