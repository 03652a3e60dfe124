import * as users from "../../accounts/users-store.ts";
import type { Deps } from "../../app/deps.ts";
import type { ReadTx } from "../../app/tx.ts";
import type { Query } from "../../database/port.ts";
import type { Handlers } from "../../http/call.ts";
import { iso, isoOrNull } from "../../lib/time.ts";
import * as consents from "../agreements/store.ts";
import { claimable } from "../keys/rules.ts";
import * as keyStore from "../keys/store.ts";
import { asked } from "../publications/consents.ts";
import { hoursToSubmit } from "../schedule/rules.ts";
import * as playtests from "../store.ts";
import { needsTeam, readerOf } from "../teams/requirements.ts";
import * as teams from "../teams/store.ts";
import { offeredTeam } from "../teams/views.ts";
import { applicationsExpireAt, audienceView } from "../views.ts";
import { eligibilityFacts, targetingOf } from "./claims.ts";
import { whyNotApply, whyNotClaim } from "./eligibility.ts";
import { knownOffer } from "./known-offers.ts";
import { gamesOf } from "./offered-games.ts";
import { minVideoSeconds } from "./rules.ts";
import * as slots from "./store.ts";

/** How many slots of each playtest can be claimed now. */
async function claimableCounts(q: ReadTx, rows: readonly playtests.PlaytestRow[]) {
  const ids = rows.map((row) => row.id);
  const [opened, unused] = [await playtests.openCounts(q, ids, q.now), await keyStore.unusedCounts(q, ids)];
  const asking = await teams.askingCounts(q, ids, q.now);
  const countOf = ({ id, uses_keys, player_count }: playtests.PlaytestRow) => {
    const count = opened.get(id) ?? 0;
    if (uses_keys === 0) return count;
    const left = (unused.get(id) ?? 0) - (asking.get(id) ?? 0) * player_count;
    return Math.max(0, claimable(count, left, player_count));
  };
  return new Map(rows.map((row) => [row.id, countOf(row)]));
}

/** The games whose agreement the playtester has not accepted. */
async function gamesToAccept(q: Query, rows: readonly playtests.PlaytestRow[], playtesterId: string) {
  const found = new Set<string>();
  for (const gameId of new Set(rows.map((row) => row.game_id))) {
    const agreement = await consents.inForce(q, gameId);
    if (agreement && !(await consents.findAcceptance(q, agreement.id, playtesterId))) found.add(gameId);
  }
  return found;
}

/** What offers show of their games, slots, agreements and consents, read for all of them. */
async function offersShown(deps: Deps, q: ReadTx, rows: readonly playtests.PlaytestRow[], reader: users.UserRow) {
  const forTeams = rows.filter((row) => needsTeam(deps.config, row)).map((row) => row.id);
  const [known, slotsOpen, mustAccept, friends] = [
    await gamesOf(
      q,
      rows.map((row) => row.game_id),
    ),
    await claimableCounts(q, rows),
    await gamesToAccept(q, rows, reader.id),
    await playtests.friendsFor(q, readerOf(deps, reader.id, q.now), forTeams),
  ];
  return rows.map((row) => ({
    id: row.id,
    game: known.get(row.game_id)!.view,
    visibility: row.visibility,
    durationMinutes: row.duration_minutes,
    playerCount: row.player_count,
    payoutCents: row.payout_cents,
    selectionMode: row.selection_mode,
    qualifications: row.qualifications,
    panel: row.panel,
    ...audienceView(row),
    mustAccept: mustAccept.has(row.game_id),
    publicationConsent: asked(deps, row, reader),
    applicationsExpireAt: isoOrNull(applicationsExpireAt(row)),
    scheduledAt: isoOrNull(row.scheduled_at),
    team: offeredTeam(deps.config, row, friends),
    slotsOpen: slotsOpen.get(row.id) ?? 0,
    minVideoSeconds: minVideoSeconds(row.duration_minutes, deps.config),
    createdAt: iso(row.created_at),
  }));
}

/** Why nobody can claim a slot of it or apply now, or not this playtester. Null if they can. */
async function whyNot(q: ReadTx, playtest: playtests.PlaytestRow, playtesterId: string, applied: boolean) {
  const targeting = targetingOf(playtest);
  const facts = await eligibilityFacts(q, playtest, playtesterId);
  const isManual = playtest.selection_mode === "manual";
  const why = isManual ? whyNotApply(targeting, playtesterId, facts) : whyNotClaim(targeting, playtesterId, facts);
  return why ?? (applied ? "You have already applied to this playtest, and you can apply only once." : null);
}

/** The playtests that are offered to a playtester. */
export const offers = {
  async listOffers(call) {
    const page = call.page();
    const { device, language } = call.query;
    const {
      rows,
      shown: offers,
      heldSlots,
      languages,
    } = await call.read(async (q) => {
      const me = call.principal.userId;
      const reader = readerOf(call.deps, me, q.now);
      const found = await playtests.listOffers(q, reader, { device, language }, page);
      return {
        rows: found,
        languages: await playtests.languagesOffered(q, reader),
        heldSlots: await slots.held(q, me, q.now),
        shown: await offersShown(call.deps, q, found, (await users.find(q, me))!),
      };
    });
    return call.listed(page, rows, (items) => ({
      heldSlots,
      filters: { languages },
      playtests: offers.slice(0, items.length),
    }));
  },

  getOffer: (call) =>
    call.read(async (q) => {
      const me = call.principal.userId;
      const { playtest, part } = await knownOffer(q, call.params.id, me);
      const [view] = await offersShown(call.deps, q, [playtest], (await users.find(q, me))!);
      const more = {
        deadlineHours: hoursToSubmit(playtest),
        maxHeldSlots: call.deps.config.playtesters.maxReserved,
        whyNot: await whyNot(q, playtest, me, part.applicationId !== null),
      };
      return { playtest: { ...view!, ...more, ...part } };
    }),
} satisfies Partial<Handlers>;
