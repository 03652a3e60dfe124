import type { Query } from "../../database/port.ts";
import { deleteWhere, findRow, insertRow, updateWhere } from "../../database/rows.ts";
import type { Tables } from "../../database/schema/index.ts";
import type { Signals } from "./rules.ts";

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

/** What was measured, as it is stored. Null: the recording has no such track. */
type Stored = Pick<SignalsRow, "loudness" | "motion" | "luma">;

const series = (json: string | null) => (json === null ? null : (JSON.parse(json) as number[]));

export const signalsOf = ({ loudness, motion, luma }: Stored): Signals => ({
  loudness: series(loudness),
  motion: series(motion),
  luma: series(luma),
});
