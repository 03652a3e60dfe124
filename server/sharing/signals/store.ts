import type { Query } from "../../database/port.ts";
import { deleteWhere, findRow, insertRow, updateWhere } from "../../database/rows.ts";
import type { Tables } from "../../database/schema/index.ts";

export type SignalsRow = Tables["video_signals"];

/** Replaces what was measured of an earlier video of the slot. */
export async function replace(tx: Query, row: SignalsRow): Promise<void> {
  await deleteWhere(tx, "video_signals", { slot_id: row.slot_id });
  await insertRow(tx, "video_signals", row);
}

export const find = (q: Query, slotId: string) => findRow(q, "video_signals", { slot_id: slotId });

/** Stores what became of a measurement, unless the video was replaced meanwhile. */
export const end = (tx: Query, { slot_id, blob_key }: SignalsRow, changes: Partial<SignalsRow>) =>
  updateWhere(tx, "video_signals", changes, { slot_id, blob_key });
