import type { Deps } from "../../app/deps.ts";
import type { Tx } from "../../app/tx.ts";
import { maxStillBytes, newStill, queueStill, removeStill } from "../../playtests/moments/stills.ts";
import * as store from "../../playtests/moments/stills-store.ts";
import type { MomentRow } from "../../playtests/moments/store.ts";
import { requireRoom } from "../../uploads/room.ts";
import { requireTurn } from "../requirements.ts";

/** The still of a moment, which is cut unless it is there already, inside the caller's transaction. 409 without room. */
export async function stillOf(deps: Deps, tx: Tx, moment: MomentRow): Promise<store.StillRow> {
  const earlier = await store.ofMoment(tx, moment.id);
  if (earlier && earlier.status !== "failed") return earlier;
  if (earlier) await removeStill(tx, earlier.id);
  await requireTurn(tx, moment.owner_id);
  await requireRoom(tx, moment.owner_id, maxStillBytes);
  const { id: moment_id, slot_id, owner_id, at_ms } = moment;
  const row = newStill(deps, { slot_id, moment_id, clip_id: null, owner_id, at_ms });
  await queueStill(tx, row);
  return row;
}

/** Removes all stills of an account. */
export async function removeStillsOf(tx: Tx, ownerId: string): Promise<void> {
  for (const id of await store.idsOfOwner(tx, ownerId)) await removeStill(tx, id);
}
