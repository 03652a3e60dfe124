import { newPlaytests } from "../../../src/contract/events/mails.ts";
import * as users from "../../accounts/users-store.ts";
import type { Deps } from "../../app/deps.ts";
import type { Tx } from "../../app/tx.ts";
import { canReceive, mailListing } from "../../events/event-mails.ts";
import { findSetting } from "../../events/settings-store.ts";
import * as games from "../../games/store.ts";
import type { Job } from "../../jobs/job.ts";
import { hour, nextDigest } from "../../mail/summary-times.ts";
import { hoursToSubmit } from "../schedule/rules.ts";
import * as playtests from "../store.ts";
import { needsTeam, readerOf } from "../teams/requirements.ts";
import { newOffersLetter } from "./mails.ts";
import * as slots from "./store.ts";

/** How many playtests an email describes. For the others it links to the list. */
const most = 5;

/** What is offered to the playtester now is not new to them. Of what is from now on, a job tells them once a day. */
export async function beginTelling(tx: Tx, userId: string): Promise<void> {
  const askedAt = tx.now;
  await playtests.addKnownOffers(tx, readerOf(tx, userId, tx.now));
  const runAt = nextDigest(tx.now, tx.config.mail.digestHour);
  await tx.scheduleNew([{ kind: "tell-of-playtests", key: `${userId}:${askedAt}`, payload: { userId, askedAt }, runAt }]);
}

/**
 * Tells a playtester of the playtests that are offered to them and are new, and runs again the next day, unless these emails were turned off
 * or asked for anew since. Row locks are enough: of two runs, one cannot complete the job, an account is not deleted meanwhile, and what else
 * is read may change before the email is read anyway.
 */
export const tellOfPlaytests = (job: Job, deps: Deps) =>
  deps.store.write(
    async (tx) => {
      const userId = String(job.payload.userId);
      users.lock(tx, userId);
      const setting = await findSetting(tx, userId, newPlaytests);
      const isOff = !setting || setting.mail === "off";
      if (isOff) playtests.forgetKnownOffers(tx, userId);
      if (isOff || setting.updated_at !== job.payload.askedAt) return job.done(tx);
      // Not within hours of this run where it is late.
      await job.reschedule(tx, nextDigest(tx.now + 12 * hour, tx.config.mail.digestHour));
      const reader = await users.find(tx, userId);
      if (!reader || reader.suspended_at !== null || !canReceive(tx, reader)) return;
      const ids = await playtests.addKnownOffers(tx, readerOf(tx, userId, tx.now));
      if (ids.length > 0) await mailListing(tx, reader, [newPlaytests], await letterAbout(tx, reader, ids));
    },
    { isolation: "rows" },
  );

/** Ids begin with the time, so the last ones are the newest. */
async function letterAbout(tx: Tx, { id, time_zone: zone }: users.UserRow, ids: readonly string[]) {
  const rows = (await playtests.findMany(tx, [...ids].sort().slice(-most))).toReversed();
  const found = await games.findMany(tx, [...new Set(rows.map((row) => row.game_id))]);
  const gameNames = new Map(found.map((game) => [game.id, game.name]));
  const { config } = tx;
  const offers = rows.map((row) => ({
    playtestId: row.id,
    gameName: gameNames.get(row.game_id)!,
    payoutCents: row.payout_cents,
    durationMinutes: row.duration_minutes,
    playerCount: row.player_count,
    isChosen: row.selection_mode === "manual",
    forTeam: needsTeam(config, row),
    hours: hoursToSubmit(row),
    scheduledAt: row.scheduled_at,
  }));
  const held = await slots.held(tx, id, tx.now);
  return newOffersLetter({
    config,
    zone,
    offers,
    total: ids.length,
    heldAll: held >= config.playtesters.maxReserved ? held : null,
  });
}
