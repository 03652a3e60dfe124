import type { ClipStatus } from "../../../src/contract/states/index.ts";
import type { Query } from "../../database/port.ts";
import { insertRow, updateWhere } from "../../database/rows.ts";

/** What was measured of the video of a slot. */
export interface SignalsRow {
  slot_id: string;
  /** The file that was measured: another video of the slot is measured again. */
  blob_key: string;
  status: ClipStatus;
  /** Why it failed, for the operator. */
  error: string | null;
  /** JSON arrays of one number for each second; null for a track that the video does not have, and until it is measured. */
  loudness: string | null;
  motion: string | null;
  luma: string | null;
  created_at: number;
  updated_at: number;
}

/** Replaces what was measured of an earlier video of the slot. */
export async function replace(tx: Query, row: SignalsRow): Promise<void> {
  await tx.run("DELETE FROM video_signals WHERE slot_id = ?", row.slot_id);
  await insertRow(tx, "video_signals", row);
}

export const find = (q: Query, slotId: string) => q.one<SignalsRow>("SELECT * FROM video_signals WHERE slot_id = ?", slotId);

/** Stores what became of a measurement, unless the video was replaced meanwhile. */
export const end = (tx: Query, { slot_id, blob_key }: SignalsRow, changes: Partial<SignalsRow>) =>
  updateWhere(tx, "video_signals", changes, { slot_id, blob_key });
