import { audienceText } from "../../../src/contract/accounts/audience-text.ts";
import { lockActive } from "../../accounts/authenticate.ts";
import { traitsOf } from "../../accounts/traits-store.ts";
import type * as users from "../../accounts/users-store.ts";
import type { ReadTx, Tx } from "../../app/tx.ts";
import type { Query } from "../../database/port.ts";
import * as games from "../../games/store.ts";
import { badRequest, conflict, notFound } from "../../lib/api-error.ts";
import { type GivenAcceptance, requireAcceptance } from "../agreements/service.ts";
import { inForce } from "../agreements/store.ts";
import { requireMember } from "../groups/membership.ts";
import { record as recordConsent } from "../publications/consents.ts";
import { requireConfirmed } from "../schedule/sessions.ts";
import * as playtests from "../store.ts";
import { requireNoTeam } from "../teams/requirements.ts";
import * as teams from "../teams/store.ts";
import { audienceView } from "../views.ts";
import { type ClaimFacts, type Targeting, whyNotClaim } from "./eligibility.ts";
import * as slots from "./store.ts";
import { reserve } from "./transitions.ts";

interface Offered {
  playtest: playtests.PlaytestRow;
  game: games.GameRow;
}

/** A playtest that is offered to this playtester. 404 for an unpaid order, an unapproved trial, a suspended game or another tester group. */
export async function findOffered(q: Query, playtestId: string, playtesterId: string): Promise<Offered> {
  return offered(q, await playtests.find(q, playtestId), playtesterId);
}

async function offered(q: Query, playtest: playtests.PlaytestRow | undefined, playtesterId: string): Promise<Offered> {
  const game = playtest && (await games.findOffered(q, playtest.game_id));
  if (!playtest || !game || playtest.status === "pending_payment") throw notFound();
  if (playtest.is_free_public_trial === 1 && playtest.approved_at === null) throw notFound();
  await requireMember(q, playtest, playtesterId);
  return { playtest, game };
}

export const targetingOf = (playtest: playtests.PlaytestRow): Targeting => ({
  type: playtest.targeting_type,
  scope: playtest.targeting_scope,
  pastScope: playtest.past_playtester_scope,
  playtesterId: playtest.targeted_playtester_id,
  audience: audienceView(playtest),
});

export async function eligibilityFacts(q: ReadTx, playtest: playtests.PlaytestRow, playtesterId: string): Promise<ClaimFacts> {
  const [history, own, joined, held, overlap, traits] = await Promise.all([
    // Their history matters only when the playtest has targeting.
    playtest.targeting_type === null ? playtests.noHistory : playtests.history(q, playtest, playtesterId),
    slots.ofPlaytester(q, playtest.id, playtesterId),
    playtest.player_count > 1 ? teams.statusesOf(q, playtest.id, playtesterId) : [],
    slots.held(q, playtesterId, q.now),
    slots.overlapping(q, playtest, playtesterId, q.now),
    audienceText(audienceView(playtest)) === undefined ? undefined : traitsOf(q, playtesterId),
  ]);
  return {
    ...history,
    ownStatuses: [...own, ...joined].map((slot) => slot.status),
    held,
    maxHeld: q.config.playtesters.maxReserved,
    overlap,
    traits,
  };
}

/** A claimed slot with the rows that were read to decide the claim, for the reply. */
export interface Claimed extends Offered {
  slot: slots.SlotIn<"reserved">;
  playtester: users.UserRow;
}

interface Claim {
  /** Default: the oldest open slot. */
  wanted?: slots.SlotIn<"open">;
  /** Absent for simulated playtesters, who accept no agreement and name no friends. */
  consent?: GivenAcceptance;
  /** The fixed time of the playtest, which its playtester confirms (ISO 8601). Absent for simulated playtesters, who have time. */
  confirmed?: { scheduledAt: string | undefined };
}

/**
 * Claims the oldest open slot, or the `wanted` one. 400 in manual mode; 409 when every slot is taken or the playtester is not
 * eligible.
 */
export async function claim(
  tx: Tx,
  playtestId: string,
  playtesterId: string,
  { wanted, consent, confirmed }: Claim = {},
): Promise<Claimed> {
  const [locked, playtester] = await Promise.all([playtests.locked(tx, playtestId), lockActive(tx, playtesterId)]);
  if (!locked) throw notFound();
  const [{ playtest, game }, facts, open, agreement] = await Promise.all([
    offered(tx, locked, playtesterId),
    eligibilityFacts(tx, locked, playtesterId),
    wanted ?? slots.firstOpen(tx, playtestId, tx.now),
    consent && inForce(tx, locked.game_id),
  ]);
  if (playtest.selection_mode === "manual")
    throw badRequest("The owner of this playtest chooses the playtesters. Nothing was claimed. Apply instead.");
  if (consent) requireNoTeam(tx.config, playtest);
  const why = whyNotClaim(targetingOf(playtest), playtesterId, facts);
  if (why) throw conflict(`${why} Nothing was claimed.`);
  if (confirmed) requireConfirmed(tx, playtest, confirmed.scheduledAt, "Nothing was claimed.");
  if (consent) await requireAcceptance(tx, agreement, playtesterId, consent);
  const reserved = open && (await reserve(tx, playtest, open, playtesterId, { game, playtester }));
  if (!reserved) throw conflict("Every slot of this playtest is taken. Nothing was claimed.");
  recordConsent(tx, playtest, playtester);
  return { slot: reserved, playtest, game, playtester };
}
