import { zonedText } from "../../../src/contract/time/zones.ts";
import type { Deps } from "../../app/deps.ts";
import type { ReadTx, Tx } from "../../app/tx.ts";
import { emit } from "../../events/emit.ts";
import { mailAbout } from "../../events/event-mails.ts";
import type { Job } from "../../jobs/job.ts";
import { conflict } from "../../lib/api-error.ts";
import { iso } from "../../lib/time.ts";
import { windowOver } from "../slots/rules.ts";
import * as slots from "../slots/store.ts";
import type { PlaytestRow } from "../store.ts";
import { playersOf } from "../teams/players.ts";
import { sessionCalendar, startingLetter } from "./mails.ts";
import { nextReminder } from "./rules.ts";

/** A session: a slot of a playtest at a fixed time. */

/**
 * 409 unless a playtester who claims or applies repeats the fixed time of the playtest, and for one whose time has come. `given` is ISO 8601.
 * `nothing` says what was not done.
 */
export function requireConfirmed(q: ReadTx, playtest: PlaytestRow, given: string | undefined, nothing: string): void {
  const { scheduled_at: at } = playtest;
  if (at === null) {
    if (given === undefined) return;
    throw conflict(`This playtest has no fixed time. ${nothing} Leave \`scheduledAt\` out.`);
  }
  if (playtest.selection_mode === "automatic" && windowOver(playtest, q.now))
    throw conflict(`The time of this playtest has come, so its slots are closed. ${nothing}`);
  requireTime(at, given, nothing);
}

/** 409 unless a member of a team repeats the fixed time of the slot, which may be another than that of its playtest. */
export function requireTimeOf({ scheduled_at: at }: slots.SlotRow, given: string | undefined): void {
  if (at !== null) requireTime(at, given, "Nothing was changed.");
  else if (given !== undefined) throw conflict("This slot has no fixed time. Nothing was changed. Leave `scheduledAt` out.");
}

function requireTime(at: number, given: string | undefined, nothing: string): void {
  if (given !== undefined && Date.parse(given) === at) return;
  const wrong = given === undefined ? "Confirm" : "It is not at the time that you confirmed. Confirm";
  throw conflict(
    `This playtest is at a fixed time: ${iso(at)}. ${nothing} ${wrong} that you will play then with that time as \`scheduledAt\`.`,
  );
}

/** 409 for a video that is submitted before the fixed time of its slot. */
export function requireBegun(q: ReadTx, { scheduled_at: at }: slots.SlotRow): void {
  if (at === null || at <= q.now) return;
  throw conflict(
    `This playtest is at a fixed time: ${iso(at)}. Nothing was submitted. Play then, and submit the video afterwards.`,
  );
}

/** Schedules the reminders of a slot that was claimed for a fixed time, or moved to another. */
export async function watchSession(tx: Tx, slot: slots.SlotRow): Promise<void> {
  const { id: slotId, scheduled_at: scheduledAt } = slot;
  const runAt = scheduledAt === null ? undefined : nextReminder(scheduledAt, tx.now);
  if (runAt === undefined) return;
  await tx.scheduleNew([{ kind: "remind-session", key: `${slotId}:${scheduledAt}`, payload: { slotId, scheduledAt }, runAt }]);
}

/** The calendar file for who plays a slot at a fixed time; undefined for other slots. */
export const calendarOf = (
  tx: Tx,
  slot: slots.SlotRow,
  playtest: Pick<PlaytestRow, "duration_minutes">,
  gameName: string,
): string | undefined => {
  const { id: slotId, scheduled_at: scheduledAt } = slot;
  if (scheduledAt === null) return undefined;
  return sessionCalendar(tx.config, { slotId, gameName, scheduledAt, durationMinutes: playtest.duration_minutes }, tx.now);
};

/**
 * Reminds the playtester of a session, and the others of their team, 24 hours and one hour before it. Ends when the slot was given up or moved
 * since.
 */
export const remindSession = (job: Job, deps: Deps) =>
  deps.store.write(async (tx) => {
    const slot = await slots.findDetail(tx, String(job.payload.slotId));
    const scheduledAt = Number(job.payload.scheduledAt);
    const isHeld = slot?.status === "reserved" || slot?.status === "blocked";
    if (!slot || !isHeld || slot.scheduled_at !== scheduledAt || scheduledAt <= tx.now) return job.done(tx);
    const next = nextReminder(scheduledAt, tx.now);
    await (next === undefined ? job.done(tx) : job.reschedule(tx, next));
    const { game_name: gameName, id: slotId, deadline_at: deadlineAt, playtester_id: playerId } = slot;
    const calendar = calendarOf(tx, slot, slot, gameName);
    for (const { user, claimantName } of await playersOf(tx, slot)) {
      const zone = user.time_zone;
      await emit(tx, [{ id: user.id, role: "playtester" }], {
        kind: "slot.starting",
        data: { slotId, playtestId: slot.playtest_id, gameId: slot.game_id, playerId, scheduledAt: iso(scheduledAt) },
        notice: { gameName, at: zonedText(scheduledAt, zone) },
      });
      const about = { config: deps.config, gameName, zone, slotId, scheduledAt, deadlineAt, calendar, claimantName };
      await mailAbout(tx, user, "slot.starting", startingLetter(about));
    }
  });
