import type { SelectionMode } from "../../../src/contract/order-body.ts";
import type { PlaytestStatus, SlotStatus } from "../../../src/contract/states/index.ts";

/** The slot's deadlines and what its states mean. Times in ms. */

/** Nothing moves a slot on from these. */
export const endedStatuses: readonly SlotStatus[] = ["accepted", "rejected", "expired", "cancelled"];

const hour = 3_600_000;
export const retryDeadlineMs = 24 * hour;

/** When a claim made now must be submitted: 24 h, 72 h for several players or an approved applicant. */
export function claimDeadline(selectionMode: SelectionMode, playerCount: number, now: number): number {
  return now + (selectionMode === "manual" || playerCount > 1 ? 72 : 24) * hour;
}

export interface TimedSlot {
  status: SlotStatus;
  deadline_at: number | null;
  /** When the review window of a manual playtest ends; null in automatic mode. */
  window_at: number | null;
}

/** What a slot is at this instant: a deadline or a window that passed holds although no job has run yet. */
export function statusAt(slot: TimedSlot, now: number): SlotStatus {
  if (slot.status === "reserved" && slot.deadline_at !== null && slot.deadline_at <= now) return "expired";
  if (slot.status === "open" && slot.window_at !== null && slot.window_at <= now) return "expired";
  return slot.status;
}

/** The status of a playtest whose slots have these: active while any can still move. */
export function playtestStatusOf(statuses: readonly SlotStatus[]): Exclude<PlaytestStatus, "pending_payment"> {
  const counted = statuses.filter((status) => !endedStatuses.includes(status));
  if (counted.length > 0) return "active";
  if (statuses.every((status) => status === "cancelled")) return "cancelled";
  return statuses.every((status) => status === "cancelled" || status === "expired") ? "expired" : "completed";
}

export interface TimedPlaytest {
  status: PlaytestStatus;
  /** When an unpaid order lapses. */
  pay_by: number | null;
  applications_expire_at: number | null;
}

export const windowOver = (playtest: Pick<TimedPlaytest, "applications_expire_at">, now: number) =>
  playtest.applications_expire_at !== null && playtest.applications_expire_at <= now;

export const awaitsPayment = ({ status, pay_by }: Pick<TimedPlaytest, "status" | "pay_by">, now: number) =>
  status === "pending_payment" && (pay_by === null || pay_by > now);

/** What a playtest is at this instant, although no job has run yet; `statuses` are those of its slots at `now`. */
export function playtestStatusAt(playtest: TimedPlaytest, statuses: readonly SlotStatus[], now: number): PlaytestStatus {
  if (playtest.status === "pending_payment") return awaitsPayment(playtest, now) ? "pending_payment" : "cancelled";
  return playtest.status === "active" && windowOver(playtest, now) ? playtestStatusOf(statuses) : playtest.status;
}
