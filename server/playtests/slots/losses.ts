import type { LossReason } from "../../../src/contract/playtester.ts";
import type { Query } from "../../database/port.ts";
import { earnedOfSlots } from "./earnings-store.ts";
import { statusAt } from "./rules.ts";
import type { SlotDetailRow } from "./store.ts";

/** Why a playtester no longer holds a slot although nobody decided on a video, and what it earned all the same. */

/** Undefined for a slot that is held, or on whose video the owner decided. */
function reasonOf(slot: SlotDetailRow, now: number): LossReason | undefined {
  const status = statusAt(slot, now);
  if (status === "expired") return slot.playtester_id === null ? "closed" : "deadline";
  if (status !== "cancelled") return undefined;
  if (slot.report_outcome === "cancelled" || slot.report_outcome === "expired") return "problem";
  // Nobody held it yet, so nobody could release it.
  if (slot.playtester_id === null) return "cancelled";
  if (slot.excused === 0) return "released";
  return slot.proposed_at === null ? "cancelled" : "moved";
}

/** What each slot earned this playtester that was cancelled so late that they were paid. */
export const earnedLate = (q: Query, rows: readonly SlotDetailRow[], playtesterId: string) =>
  earnedOfSlots(
    q,
    playtesterId,
    rows.filter(({ status, excused }) => status === "cancelled" && excused === 1).map(({ id }) => id),
  );

export function lossOf(slot: SlotDetailRow, earned: ReadonlyMap<string, number>, now: number) {
  const why = reasonOf(slot, now);
  return why === undefined ? null : { why, earnedCents: earned.get(slot.id) ?? 0 };
}
