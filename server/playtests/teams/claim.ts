import { plural } from "../../../src/contract/text/plural.ts";
import { lockActive } from "../../accounts/authenticate.ts";
import * as users from "../../accounts/users-store.ts";
import type { Tx } from "../../app/tx.ts";
import { ApiError, badRequest, conflict, invalid } from "../../lib/api-error.ts";
import { usd } from "../../lib/money.ts";
import { type GivenAcceptance, requireAcceptance } from "../agreements/service.ts";
import { inForce } from "../agreements/store.ts";
import * as friends from "../friends/store.ts";
import * as keys from "../keys/store.ts";
import { record as recordConsent } from "../publications/consents.ts";
import { requireConfirmed } from "../schedule/sessions.ts";
import { eligibilityFacts, findOffered, targetingOf } from "../slots/claims.ts";
import { whyNotClaim } from "../slots/eligibility.ts";
import * as slots from "../slots/store.ts";
import * as playtests from "../store.ts";
import { needsTeam } from "./requirements.ts";
import { divide } from "./rules.ts";
import * as store from "./store.ts";
import { tellAsked } from "./tell.ts";

/** A claim that names friends. It holds an open slot until all of them confirmed; only then is the slot reserved. */
type Playtest = playtests.PlaytestRow;

export interface NamedFriend {
  handle: string;
  shareCents?: number | undefined;
}

/** A friend who may be asked. */
export interface Candidate {
  id: string;
  name: string;
}

/** 422 on `field` for a handle that is not of a friend of the claimant, 409 for a friend who is not available. */
export async function candidate(tx: Tx, claimantId: string, handle: string, field: string): Promise<Candidate> {
  const friend = await friends.connected(tx, claimantId, handle);
  if (!friend) throw invalid(field, `is not the handle of a friend of yours`);
  if (friend.available !== 1) throw conflict(`${friend.display_name} is not available at the moment. Nothing was changed.`);
  return { id: friend.id, name: friend.display_name };
}

/** 409 naming the friend when they may not claim this playtest. Says no reasons that are not the claimant's business. */
export async function requireEligible(tx: Tx, playtest: Playtest, { id, name }: Candidate): Promise<void> {
  if (await isEligible(tx, playtest, id)) return;
  throw conflict(`${name} cannot claim this playtest. Nothing was changed. Name another friend.`);
}

/** `holding`: slots that they hold already because of this team. */
export async function isEligible(tx: Tx, playtest: Playtest, userId: string, holding = 0): Promise<boolean> {
  const standing = await users.locked(tx, userId);
  if (!standing || standing.suspended_at !== null || standing.deleted_at !== null) return false;
  try {
    await findOffered(tx, playtest.id, userId);
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
  const facts = await eligibilityFacts(tx, playtest, userId);
  return whyNotClaim(targetingOf(playtest), userId, { ...facts, held: facts.held - holding }) === undefined;
}

/** 409 when one of them blocked another. Does not say who. */
export async function requirePeace(tx: Tx, userIds: readonly string[]): Promise<void> {
  if (await friends.anyBlocked(tx, userIds))
    throw conflict("These playtesters cannot play together. Nothing was changed. Name other friends.");
}

async function namedFriends(tx: Tx, playtest: Playtest, claimantId: string, named: readonly NamedFriend[]) {
  const needed = playtest.player_count - 1;
  if (named.length !== needed)
    throw invalid(
      "with",
      `must name exactly ${plural(needed, "friend")} for ${playtest.player_count} players, not ${named.length}`,
    );
  if (new Set(named.map(({ handle }) => handle)).size !== named.length) throw invalid("with", "must not name a friend twice");
  const found: Candidate[] = [];
  for (const [index, { handle }] of named.entries()) found.push(await candidate(tx, claimantId, handle, `with.${index}.handle`));
  return found;
}

/** The oldest open slot that no other team holds, for which there are game keys. */
async function freeSlot(tx: Tx, playtest: Playtest): Promise<slots.SlotIn<"open">> {
  const slot = await slots.firstOpen(tx, playtest.id, tx.now);
  if (!slot || playtest.status !== "active") throw conflict("Every slot of this playtest is taken. Nothing was claimed.");
  if (playtest.uses_keys === 0) return slot;
  const asking = (await store.askingCounts(tx, [playtest.id], tx.now)).get(playtest.id) ?? 0;
  const unused = (await keys.unusedCounts(tx, [playtest.id])).get(playtest.id) ?? 0;
  if (unused < (asking + 1) * playtest.player_count)
    throw conflict(
      "No game keys are left for this playtest. Nothing was changed. Its slots open again when the owner adds keys.",
    );
  return slot;
}

/** Claims a slot for a team of friends, and asks them. Returns the id of the slot, which stays open until all of them confirmed. */
export async function claimWith(
  tx: Tx,
  playtestId: string,
  claimantId: string,
  { named, consent, scheduledAt }: { named: readonly NamedFriend[]; consent: GivenAcceptance; scheduledAt: string | undefined },
): Promise<string> {
  playtests.lock(tx, playtestId);
  const { playtest } = await findOffered(tx, playtestId, claimantId);
  if (playtest.selection_mode === "manual")
    throw badRequest("The owner of this playtest chooses the playtesters. Nothing was claimed. Apply instead.");
  if (!needsTeam(tx.config, playtest)) throw invalid("with", "cannot be used here: this claim needs no friends");
  const found = await namedFriends(tx, playtest, claimantId, named);
  const everybody = [claimantId, ...found.map(({ id }) => id)];
  for (const id of [...everybody].sort()) users.lock(tx, id);
  await lockActive(tx, claimantId);
  const why = whyNotClaim(targetingOf(playtest), claimantId, await eligibilityFacts(tx, playtest, claimantId));
  if (why) throw conflict(`${why} Nothing was claimed.`);
  if (await store.isAsking(tx, playtestId, claimantId))
    throw conflict("A slot of this playtest is held for your team already. Nothing was claimed. Wait until all have confirmed.");
  for (const one of found) await requireEligible(tx, playtest, one);
  await requirePeace(tx, everybody);
  requireConfirmed(tx, playtest, scheduledAt, "Nothing was claimed.");
  await requireAcceptance(tx, await inForce(tx, playtest.game_id), claimantId, consent);
  recordConsent(tx, playtest, (await users.find(tx, claimantId))!);
  const parts = divide(
    playtest.payout_cents,
    named.map(({ shareCents }) => shareCents),
  );
  if (!parts) throw invalid("with", `must not promise more than the payout of ${usd(playtest.payout_cents)}`);
  const slot = await freeSlot(tx, playtest);
  await ask(tx, playtest, slot, everybody, parts);
  return slot.id;
}

async function ask(
  tx: Tx,
  playtest: Playtest,
  slot: slots.SlotIn<"open">,
  everybody: readonly string[],
  parts: readonly number[],
): Promise<void> {
  const confirmBy = Math.min(tx.now + tx.config.multiplayer.confirmWithinMs, playtest.closes_at ?? Number.POSITIVE_INFINITY);
  const overdue = await store.ofSlot(tx, slot.id);
  // Its job is late.
  if (overdue) await store.update(tx, overdue.id, { status: "ended", ended_at: overdue.confirm_by });
  const team = await store.insert(tx, {
    id: tx.newId(),
    slot_id: slot.id,
    playtest_id: playtest.id,
    claimant_id: everybody[0]!,
    status: "asking",
    confirm_by: confirmBy,
    created_at: tx.now,
  });
  const members = everybody.map((user_id, seat) => newMember(tx, team, { user_id, seat, share_cents: parts[seat]! }, confirmBy));
  store.addMembers(tx, members);
  for (const member of members.slice(1)) await tellAsked(tx, team, slot, playtest, member);
  await watch(tx, team, confirmBy);
}

/** A new member of a team: the claimant has confirmed with the claim, the others are asked. */
export const newMember = (
  tx: Tx,
  team: store.TeamRow,
  who: Pick<store.MemberRow, "user_id" | "seat" | "share_cents">,
  answerBy: number,
): store.MemberRow => ({
  id: tx.newId(),
  team_id: team.id,
  slot_id: team.slot_id,
  ...who,
  status: who.seat === 0 ? "confirmed" : "asked",
  answer_by: who.seat === 0 ? null : answerBy,
  created_at: tx.now,
  updated_at: tx.now,
});

/** Schedules the end of the time in which members can confirm. */
export const watch = (tx: Tx, team: store.TeamRow, at: number) =>
  tx.schedule({ kind: "expire-team", key: `${team.id}:${at}`, payload: { teamId: team.id, slotId: team.slot_id }, runAt: at });
