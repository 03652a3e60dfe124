import type { SelectionMode } from "../../../src/contract/order-body.ts";
import type { PlaytestStatus, SlotStatus } from "../../../src/contract/states/index.ts";

/** The deadlines of slots and playtests, and their status at a given time. Times in ms. */

/** The final statuses of a slot. */
export const endedStatuses: readonly SlotStatus[] = ["accepted", "rejected", "expired", "cancelled"];

const hour = 3_600_000;

/** The shortest video that may be submitted for so many booked minutes, in seconds. The sample video of a sandbox has three. */
export function minVideoSeconds(bookedMinutes: number, { sandbox, playtesters }: VideoSettings): number {
  const percent = playtesters.minVideoPercent ?? (sandbox ? 0 : 50);
  return Math.floor((bookedMinutes * 60 * percent) / 100);
}

interface VideoSettings {
  sandbox: boolean;
  playtesters: { minVideoPercent: number | null };
}
export const retryDeadlineMs = 24 * hour;

/** Until when earnings from card money of this time are held. */
export const heldUntil = (earnedAt: number, holdDays: number) => earnedAt + holdDays * 24 * hour;

/** How long a playtester has to submit, in hours: 24, or 72 for several players or an approved applicant. */
export const deadlineHours = (selectionMode: SelectionMode, playerCount: number) =>
  selectionMode === "manual" || playerCount > 1 ? 72 : 24;

/** The deadline of a slot reserved now. */
export const claimDeadline = (selectionMode: SelectionMode, playerCount: number, now: number): number =>
  now + deadlineHours(selectionMode, playerCount) * hour;

export interface TimedSlot {
  status: SlotStatus;
  deadline_at: number | null;
  /** When the review window of a manual playtest ends; null in automatic mode. */
  window_at: number | null;
}

/** The status of a slot at `now`: one whose deadline or window has passed is expired, even before the job has run. */
export function statusAt(slot: TimedSlot, now: number): SlotStatus {
  if (slot.status === "reserved" && slot.deadline_at !== null && slot.deadline_at <= now) return "expired";
  if (slot.status === "open" && slot.window_at !== null && slot.window_at <= now) return "expired";
  return slot.status;
}

/** The status of a playtest whose slots have these statuses: active while any of them is not final. */
export function playtestStatusOf(statuses: readonly SlotStatus[]): Exclude<PlaytestStatus, "pending_payment"> {
  if (statuses.some((status) => !endedStatuses.includes(status))) return "active";
  if (statuses.every((status) => status === "cancelled")) return "cancelled";
  return statuses.every((status) => status === "cancelled" || status === "expired") ? "expired" : "completed";
}

export interface TimedPlaytest {
  status: PlaytestStatus;
  /** When an unpaid order is cancelled. */
  pay_by: number | null;
  closes_at: number | null;
}

export const windowOver = (playtest: Pick<TimedPlaytest, "closes_at">, now: number) =>
  playtest.closes_at !== null && playtest.closes_at <= now;

export const awaitsPayment = ({ status, pay_by }: Pick<TimedPlaytest, "status" | "pay_by">, now: number) =>
  status === "pending_payment" && (pay_by === null || pay_by > now);

/** Whether an order was paid, or cost nothing, and was not cancelled. */
export const wasPaid = ({ status }: Pick<TimedPlaytest, "status">) => status !== "pending_payment" && status !== "cancelled";

/** The status of a playtest at `now`, even before the job has run. `statuses` are those of its slots at `now`. */
export function playtestStatusAt(playtest: TimedPlaytest, statuses: readonly SlotStatus[], now: number): PlaytestStatus {
  if (playtest.status === "pending_payment") return awaitsPayment(playtest, now) ? "pending_payment" : "cancelled";
  return playtest.status === "active" && windowOver(playtest, now) ? playtestStatusOf(statuses) : playtest.status;
}
