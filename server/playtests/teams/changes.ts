import * as users from "../../accounts/users-store.ts";
import type { Deps } from "../../app/deps.ts";
import type { Tx } from "../../app/tx.ts";
import { deletedName } from "../../events/notices.ts";
import type { Job } from "../../jobs/job.ts";
import { conflict, invalid, notFound } from "../../lib/api-error.ts";
import { usd } from "../../lib/money.ts";
import { agreementToAccept, type GivenAcceptance, requireAcceptance } from "../agreements/service.ts";
import { inForce } from "../agreements/store.ts";
import { handOutOneMore, requireKeyLeft } from "../keys/service.ts";
import * as keys from "../keys/store.ts";
import { record as recordConsent } from "../publications/consents.ts";
import { find as consentOf } from "../publications/consents-store.ts";
import { requireTimeOf } from "../schedule/sessions.ts";
import { statusAt, windowOver } from "../slots/rules.ts";
import * as slots from "../slots/store.ts";
import { reserve } from "../slots/transitions.ts";
import * as playtests from "../store.ts";
import { dealKeys, endTeam } from "./asking.ts";
import { candidate, isEligible, newMember, requireEligible, requirePeace, watch } from "./claim.ts";
import { divide, emptySeats, isSeated, replaceable } from "./rules.ts";
import * as store from "./store.ts";
import { tellAbsence, tellAsked, tellComplete, tellEnded, tellJoined } from "./tell.ts";

/**
 * What the members of a team do. Each function but the job runs inside the caller's transaction, which is serializable: it decides by rows of
 * several accounts.
 */
interface Known {
  slot: slots.SlotRow;
  playtest: playtests.PlaytestRow;
  team: store.TeamRow;
  /** Everybody who was ever asked. */
  members: store.NamedMemberRow[];
  /** The caller's own row. */
  me: store.NamedMemberRow;
}

/** The team of a slot, locked with its playtest, in which the caller has a seat. 404 otherwise. */
async function known(tx: Tx, slotId: string, userId: string): Promise<Known> {
  playtests.lockOfSlot(tx, slotId);
  const [slot, team] = [await slots.find(tx, slotId), await store.ofSlot(tx, slotId)];
  const members = team ? await store.membersOf(tx, [team.id]) : [];
  const me = members.find((member) => member.user_id === userId && isSeated(member));
  if (!slot || !team || !me) throw notFound();
  return { slot, team, members, me, playtest: (await playtests.find(tx, slot.playtest_id))! };
}

/** The playtest at the time of the slot, which stays at an earlier one while an answer to another time is awaited. */
const atTimeOf = ({ slot, playtest }: Known) => ({ ...playtest, scheduled_at: slot.scheduled_at });

/** Whether the members can still change: the slot is held for them, or is theirs and not submitted. */
const isOpen = (tx: Tx, { slot, team, playtest }: Pick<Known, "slot" | "team" | "playtest">) => {
  if (team.status === "asking") return slot.status === "open" && team.confirm_by > tx.now && !windowOver(playtest, tx.now);
  const status = statusAt({ ...slot, window_at: playtest.closes_at }, tx.now);
  return status === "reserved" || status === "blocked";
};

function requireOpen(tx: Tx, team: Known): void {
  if (isOpen(tx, team)) return;
  throw conflict(
    team.team.status === "asking"
      ? "The time to confirm is over, and the slot is open again. Nothing was changed."
      : "The video of this slot is submitted, or its deadline has passed. Nothing was changed.",
  );
}

function requireClaimant({ me, team }: Known): void {
  if (me.user_id !== team.claimant_id)
    throw conflict("Only the playtester who claimed this slot can do that. Nothing was changed.");
}

/** A member who was asked agrees to play for this share, at the fixed time of the slot if it has one. The last one completes the team: the slot is reserved. */
export async function confirm(
  tx: Tx,
  slotId: string,
  userId: string,
  { shareCents, scheduledAt, consent }: { shareCents: number; scheduledAt: string | undefined; consent: GivenAcceptance },
): Promise<void> {
  const found = await known(tx, slotId, userId);
  const { playtest, team, me } = found;
  requireOpen(tx, found);
  if (me.status !== "asked") throw conflict("You have confirmed already. Nothing was changed.");
  if (me.answer_by !== null && me.answer_by <= tx.now)
    throw conflict("The time to confirm is over. Nothing was changed. Ask the playtester who named you to name you again.");
  if (me.share_cents !== shareCents)
    throw conflict(
      `Your share of the payout is ${usd(me.share_cents)}, not ${usd(shareCents)}. Nothing was changed. Look at the slot again.`,
    );
  requireTimeOf(found.slot, scheduledAt);
  for (const { user_id } of [...found.members].sort(byUser)) users.lock(tx, user_id);
  await requirePeace(
    tx,
    found.members.filter(isSeated).map(({ user_id }) => user_id),
  );
  if (!(await isEligible(tx, atTimeOf(found), userId)))
    throw conflict(
      "You cannot claim this playtest now: you hold too many slots, or one at that time, or had one of it. Nothing was changed.",
    );
  await requireAcceptance(tx, await inForce(tx, playtest.game_id), userId, consent);
  recordConsent(tx, playtest, (await users.find(tx, userId))!);
  await store.updateMember(tx, me.id, { status: "confirmed", answer_by: null, updated_at: tx.now });
  if (team.status === "asking") return completeIfReady(tx, found);
  await join(tx, found);
}

const byUser = (a: store.MemberRow, b: store.MemberRow) => (a.user_id < b.user_id ? -1 : 1);

/** 409 when the agreement was changed after these members confirmed, and they have not accepted it again. */
async function requireCurrentAcceptance(tx: Tx, { game_id }: playtests.PlaytestRow, members: readonly store.NamedMemberRow[]) {
  const names: string[] = [];
  for (const { user_id, display_name } of members) if (await agreementToAccept(tx, game_id, user_id)) names.push(display_name);
  if (names.length === 0) return;
  throw conflict(
    `The agreement was changed, and these members of your team have not accepted the new version yet: ${names.join(", ")}. Nothing was changed. They were asked to accept it by email: confirm after that.`,
  );
}

/** Reserves the slot if everybody confirmed. 409 when one of the others cannot claim the playtest any more, or has an agreement to accept. */
async function completeIfReady(tx: Tx, found: Known): Promise<void> {
  const { slot, playtest, team, me, members } = found;
  const seated = members.filter(isSeated);
  const others = seated.filter((member) => member.id !== me.id);
  if (seated.length < playtest.player_count || others.some(({ status }) => status === "asked")) return;
  for (const { user_id, display_name } of others)
    if (!(await isEligible(tx, atTimeOf(found), user_id, 1)))
      throw conflict(`${display_name} cannot claim this playtest any more. Nothing was changed. The team needs another member.`);
  await requireCurrentAcceptance(tx, playtest, others);
  await store.update(tx, team.id, { status: "complete" });
  const open = slots.isIn(slot, "open") ? slot : undefined;
  const reserved = open && (await reserve(tx, playtest, open, team.claimant_id));
  if (!reserved) throw conflict("The slot was taken. Nothing was changed.");
  await dealKeys(tx, slot.id);
  // Whoever agreed before an upgrade from a version that recorded it only now.
  for (const { user_id } of seated)
    if (!(await consentOf(tx, playtest.id, user_id))) recordConsent(tx, playtest, (await users.find(tx, user_id))!);
  await tellComplete(
    tx,
    { team, slot: reserved, playtest },
    seated.map(({ user_id }) => user_id),
  );
}

/** A member who replaces one who left gets a game key of their own. Others may still be missing. */
async function join(tx: Tx, { slot, playtest, team, me, members }: Known): Promise<void> {
  await handOutOneMore(tx, playtest, slot.id);
  await dealKeys(tx, slot.id);
  const joined = { ...me, status: "confirmed" as const };
  const after = members.map((member) => (member === me ? joined : member));
  await tellJoined(tx, { team, slot, playtest }, after, joined);
}

/** A member declines, or withdraws a confirmation before the team is complete. */
export async function decline(tx: Tx, slotId: string, userId: string): Promise<void> {
  const found = await known(tx, slotId, userId);
  const { team, me, slot } = found;
  if (me.user_id === team.claimant_id)
    throw conflict("You claimed this slot. Nothing was changed. Release it instead, which ends the team.");
  requireOpen(tx, found);
  if (team.status === "complete" && me.status === "confirmed")
    throw conflict("Your team is complete. Nothing was changed. Leave it instead.");
  await release(tx, me, "declined");
  await tellAbsence(tx, team, slot, me, "declined");
}

const release = (tx: Tx, member: store.MemberRow, status: store.MemberRow["status"]) =>
  store.updateMember(tx, member.id, { status, answer_by: null, updated_at: tx.now });

/** A member leaves a complete team before the video is submitted. Nobody else gets their key. */
export async function leave(tx: Tx, slotId: string, userId: string): Promise<void> {
  const found = await known(tx, slotId, userId);
  const { team, me, slot } = found;
  if (me.user_id === team.claimant_id)
    throw conflict("You claimed this slot. Nothing was changed. Release it instead, which ends the team.");
  if (team.status === "asking" || me.status === "asked")
    throw conflict("You have not joined this team yet. Nothing was changed. Decline instead.");
  requireOpen(tx, found);
  await depart(tx, me);
  await tellAbsence(tx, team, slot, me, "left");
}

async function depart(tx: Tx, member: store.MemberRow): Promise<void> {
  await release(tx, member, "left");
  await keys.retireOf(tx, member.slot_id, member.user_id, tx.now);
}

/** What the last one who had the seat was to get. */
const shareOfSeat = (members: readonly store.MemberRow[], seat: number) =>
  members.findLast((member) => member.seat === seat)!.share_cents;

/** Whether nobody else was ever asked for the seat of this member. */
const isOnlyOfSeat = (members: readonly store.MemberRow[], one: store.MemberRow) =>
  members.every((member) => member.seat !== one.seat || member === one);

const handlesOf = (members: readonly store.NamedMemberRow[]) => members.map(({ handle }) => handle).join(", ");

/** The seat to fill: of the member with this handle, or the only one that can be filled. */
function seatToFill({ playtest, members, team }: Known, missing: string | undefined): number {
  const free = emptySeats(playtest.player_count, members);
  const asked = replaceable(playtest.player_count, team.claimant_id, members);
  const fillable = [...new Set([...free, ...asked.map(({ seat }) => seat)])];
  if (missing === undefined) {
    const only = free.length === 1 ? free : fillable;
    if (only.length === 0) throw conflict("Nobody is missing in this team. Nothing was changed.");
    // Who deleted their account has no handle, so nobody can name them.
    if (only.length === 1 || asked.length === 0) return only[0]!;
    throw invalid("missing", `is required, because several members can be replaced: ${handlesOf(asked)}`);
  }
  const seat = members.filter((member) => member.handle === missing && fillable.includes(member.seat)).at(-1)?.seat;
  if (seat === undefined)
    throw invalid("missing", `is not the handle of a member who can be replaced: ${handlesOf(asked) || "there is none"}`);
  return seat;
}

/** The claimant asks another friend in the place of a member who declined, left, has not confirmed or is suspended. */
export async function replace(
  tx: Tx,
  slotId: string,
  userId: string,
  asked: { missing: string | undefined; with: string },
): Promise<void> {
  const found = await known(tx, slotId, userId);
  const { slot, playtest, team, members } = found;
  requireClaimant(found);
  requireOpen(tx, found);
  const seat = seatToFill(found, asked.missing);
  const friend = await candidate(tx, userId, asked.with, "with");
  const earlier = members.find(({ user_id }) => user_id === friend.id);
  if (earlier && isSeated(earlier)) throw conflict(`${friend.name} is in this team already. Nothing was changed.`);
  if (earlier && earlier.seat !== seat && isOnlyOfSeat(members, earlier))
    throw conflict(`${friend.name} had another place in this team, which is empty. Nothing was changed. Ask for that place.`);
  await requireEligible(tx, atTimeOf(found), friend);
  if (team.status === "complete") await requireKeyLeft(tx, playtest, slot.id);
  const inSeat = members.find((member) => member.seat === seat && isSeated(member));
  await requirePeace(tx, [...members.filter((m) => isSeated(m) && m !== inSeat).map(({ user_id }) => user_id), friend.id]);
  if (inSeat?.status === "asked") {
    await release(tx, inSeat, "replaced");
    await tellEnded(tx, team, slot, [inSeat.user_id], "replaced");
  } else if (inSeat) await depart(tx, inSeat);
  const share = shareOfSeat(members, seat);
  const limit = team.status === "asking" ? team.confirm_by : (slot.deadline_at ?? Number.POSITIVE_INFINITY);
  const answerBy = Math.min(tx.now + tx.config.multiplayer.confirmWithinMs, limit);
  const row = newMember(tx, team, { user_id: friend.id, seat, share_cents: share }, answerBy);
  if (earlier) await store.updateMember(tx, earlier.id, { ...row, id: earlier.id });
  else await store.addMember(tx, row);
  await tellAsked(tx, team, slot, playtest, row);
  if (team.status === "complete") await watch(tx, team, answerBy);
}

/** The claimant changes the shares while the team is asked. All others are asked again. */
export async function setShares(
  tx: Tx,
  slotId: string,
  userId: string,
  changed: readonly { handle: string; shareCents: number }[],
): Promise<void> {
  const found = await known(tx, slotId, userId);
  const { slot, playtest, team, me } = found;
  requireClaimant(found);
  requireOpen(tx, found);
  if (team.status !== "asking") throw conflict("The team is complete, so its shares are agreed. Nothing was changed.");
  const others = found.members.filter((member) => isSeated(member) && member !== me);
  for (const [index, { handle }] of changed.entries())
    if (!others.some((member) => member.handle === handle)) throw invalid(`shares.${index}.handle`, "is not in this team");
  const wanted = others.map((member) => changed.find(({ handle }) => handle === member.handle)?.shareCents ?? member.share_cents);
  // The shares of members who declined stay with their seats.
  const kept = emptySeats(playtest.player_count, found.members).map((seat) => shareOfSeat(found.members, seat));
  const parts = divide(playtest.payout_cents, [...wanted, ...kept]);
  if (!parts) throw invalid("shares", `must not promise more than the payout of ${usd(playtest.payout_cents)}`);
  await store.updateMember(tx, me.id, { share_cents: parts[0]!, updated_at: tx.now });
  for (const [index, member] of others.entries()) {
    const row = { ...member, share_cents: wanted[index]!, status: "asked" as const, answer_by: team.confirm_by };
    const { share_cents, status, answer_by } = row;
    await store.updateMember(tx, member.id, { share_cents, status, answer_by, updated_at: tx.now });
    await tellAsked(tx, team, slot, playtest, row);
  }
}

/** The claimant gives up before the team is complete: the slot is open again, and nobody is marked. False when there is no such team. */
export async function withdraw(tx: Tx, slotId: string, userId: string): Promise<boolean> {
  playtests.lockOfSlot(tx, slotId);
  const [slot, team] = [await slots.find(tx, slotId), await store.ofSlot(tx, slotId)];
  if (!slot || team?.status !== "asking" || team.claimant_id !== userId) return false;
  await endTeam(tx, slot, "withdrawn", [userId]);
  return true;
}

/** Two playtesters are no longer friends: what one asked the other counts as declined. A complete team stays, as does one of a slot that ended. */
export async function declineBetween(tx: Tx, one: string, other: string): Promise<void> {
  for (const unsettled of await store.unsettledBetween(tx, one, other)) await declineFor(tx, unsettled);
}

/**
 * An account is deleted: the teams that it claimed and that wait for others end too, and what others asked it counts as declined. Nobody is
 * told its name any more.
 */
export async function declineAll(tx: Tx, userId: string): Promise<void> {
  for (const unsettled of await store.unsettledOf(tx, userId))
    if (!(await withdraw(tx, unsettled.slot_id, userId))) await declineFor(tx, unsettled, { display_name: deletedName });
}

/** `named`: the name that the claimant is told, unless it is the member's own. */
async function declineFor(
  tx: Tx,
  { slot_id, member_id }: store.Unsettled,
  named: Partial<Pick<store.NamedMemberRow, "display_name">> = {},
): Promise<void> {
  playtests.lockOfSlot(tx, slot_id);
  const [slot, team] = [await slots.find(tx, slot_id), await store.ofSlot(tx, slot_id)];
  const playtest = slot && (await playtests.find(tx, slot.playtest_id));
  const member = team && (await store.membersOf(tx, [team.id])).find(({ id }) => id === member_id);
  if (!slot || !playtest || !team || !member || !isSeated(member) || !isOpen(tx, { slot, team, playtest })) return;
  await release(tx, member, "declined");
  await tellAbsence(tx, team, slot, { ...member, ...named }, "declined");
}

/** Ends a team that was not confirmed in time, without a mark for anybody; of a complete team, what a replacement was asked. */
export const expireTeam = (job: Job, deps: Deps) =>
  deps.store.write(async (tx) => {
    await job.done(tx);
    const slotId = String(job.payload.slotId);
    playtests.lockOfSlot(tx, slotId);
    const [slot, team] = [await slots.find(tx, slotId), await store.find(tx, String(job.payload.teamId))];
    if (!slot || !team || team.status === "ended") return;
    if (team.status === "asking") return team.confirm_by <= tx.now ? endTeam(tx, slot, "expired") : undefined;
    if (slot.status !== "reserved" && slot.status !== "blocked") return;
    for (const member of await store.membersOf(tx, [team.id])) {
      if (member.status !== "asked" || member.answer_by === null || member.answer_by > tx.now) continue;
      await release(tx, member, "expired");
      await tellAbsence(tx, team, slot, member, "expired");
    }
  });
