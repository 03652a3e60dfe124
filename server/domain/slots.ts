/** The slot's states, deadlines and who may move it (specification: States and transitions; decisions §5). Times in ms. */
export const slotStatuses = [
  "open",
  "reserved",
  "submitted",
  "accepted",
  "rejected",
  "blocked",
  "expired",
  "cancelled",
  "publishing",
] as const;
export type SlotStatus = (typeof slotStatuses)[number];

/** Nothing moves a slot on from these. */
export const endedStatuses: readonly SlotStatus[] = ["accepted", "rejected", "expired", "cancelled"];

const hour = 3_600_000;
export const retryDeadlineMs = 24 * hour;

/** When a claim made now must be submitted: 24 h, 72 h for several players or an approved applicant. */
export function claimDeadline(selectionMode: string, playerCount: number, now: number): number {
  return now + (selectionMode === "manual" || playerCount > 1 ? 72 : 24) * hour;
}

/** What a slot is at this instant: a deadline that passed holds although no job has run yet. */
export function statusAt(slot: { status: string; deadline_at: number | null }, now: number): string {
  return slot.status === "reserved" && slot.deadline_at !== null && slot.deadline_at <= now ? "expired" : slot.status;
}

/** The status of a playtest whose slots have these (decisions §4): active while any can still move. */
export function playtestStatusOf(statuses: readonly string[]): "active" | "completed" | "cancelled" | "expired" {
  const counted = statuses.filter((status) => !(endedStatuses as readonly string[]).includes(status));
  if (counted.length > 0) return "active";
  if (statuses.every((status) => status === "cancelled")) return "cancelled";
  return statuses.every((status) => status === "cancelled" || status === "expired") ? "expired" : "completed";
}
