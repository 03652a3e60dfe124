import { bindingSessionMs, earliestSessionMs, latestSessionMs, type SelectionMode } from "../../../src/contract/order-body.ts";
import { claimDeadline, deadlineHours } from "../slots/rules.ts";

/** The rules of playtests at a fixed time. Times in ms. */

const hour = 3_600_000;

/** Whether a session can be ordered for, or moved to, this time. */
export const isBookable = (at: number, now: number) => at >= now + earliestSessionMs && at <= now + latestSessionMs;

export const bookableText = "must be 12 hours to 90 days from now";

/** Whether a session is so near that it can no longer be moved, and its claimed slots are paid when it is cancelled. */
export const isBinding = (scheduledAt: number, now: number) => scheduledAt - now < bindingSessionMs;

/**
 * The deadline of a slot that is reserved, or unblocked, now: at a fixed time, 24 hours after it (72 for several players) or, once it is over,
 * as long from now; otherwise that of any claim.
 */
export const slotDeadline = (
  playtest: { selection_mode: SelectionMode; player_count: number },
  scheduledAt: number | null,
  now: number,
) =>
  scheduledAt === null
    ? claimDeadline(playtest.selection_mode, playtest.player_count, now)
    : sessionDeadline(scheduledAt, playtest.player_count, now);

const hoursAfterSession = (playerCount: number) => (playerCount > 1 ? 72 : 24);

/** The deadline of a slot at a fixed time: 24 hours after it, or 72 hours for several players. After that time, as long from now. */
export const sessionDeadline = (scheduledAt: number, playerCount: number, now: number) =>
  Math.max(scheduledAt, now) + hoursAfterSession(playerCount) * hour;

/** How many hours a playtester has for the submission: from the fixed time of the playtest, or else from the claim or approval. */
export const hoursToSubmit = (playtest: { selection_mode: SelectionMode; player_count: number; scheduled_at: number | null }) =>
  playtest.scheduled_at === null
    ? deadlineHours(playtest.selection_mode, playtest.player_count)
    : hoursAfterSession(playtest.player_count);

interface Booked {
  selectionMode: SelectionMode;
  /** Null when each playtester chooses when to play. */
  scheduledAt: number | null;
}

/** How long applications are accepted. */
const windowMs = 7 * 24 * hour;

/** When the unclaimed slots of an order that becomes active now close; null for never. Nobody can be chosen for a session that has begun. */
export function closesAt({ selectionMode, scheduledAt }: Booked, now: number): number | null {
  if (selectionMode === "automatic") return scheduledAt;
  return Math.min(now + windowMs, scheduledAt ?? Number.POSITIVE_INFINITY);
}

/** When the unclaimed slots of a playtest close after it was moved. The window of manual selection does not become longer. */
export const closesAfterMove = ({ selectionMode, scheduledAt }: Booked & { scheduledAt: number }, closes: number | null) =>
  selectionMode === "automatic" ? scheduledAt : Math.min(closes ?? scheduledAt, scheduledAt);

/** Until when an unpaid order can be paid: not after its session. */
export const payBy = (scheduledAt: number | null, payWithinMs: number, now: number) =>
  Math.min(now + payWithinMs, scheduledAt ?? Number.POSITIVE_INFINITY);

/** Until when a playtester can answer a proposal: three days, and at the latest six hours before the earlier of both times. */
export const answerBy = (agreed: number, proposed: number, now: number) =>
  Math.min(now + 72 * hour, Math.min(agreed, proposed) - 6 * hour);

const reminders = [24 * hour, hour];

/** When the next reminder of a session is due; undefined when none is left. */
export const nextReminder = (scheduledAt: number, now: number) =>
  reminders.map((before) => scheduledAt - before).find((at) => at > now);

/** What cancelling a claimed slot means: its price is refunded, its playtester is paid as after a claim, or it is too late. */
export function cancelsWith(scheduledAt: number | null, now: number): "refund" | "pay" | "nothing" {
  if (scheduledAt === null || scheduledAt <= now) return "nothing";
  return isBinding(scheduledAt, now) ? "pay" : "refund";
}
