import { zonedText } from "../../../src/contract/time/zones.ts";
import * as users from "../../accounts/users-store.ts";
import type { Deps } from "../../app/deps.ts";
import type { Tx } from "../../app/tx.ts";
import { emit } from "../../events/emit.ts";
import { mailAbout } from "../../events/event-mails.ts";
import type { TimeAnswer } from "../../events/notice-context.ts";
import * as games from "../../games/store.ts";
import type { Job } from "../../jobs/job.ts";
import { conflict, invalid } from "../../lib/api-error.ts";
import { iso } from "../../lib/time.ts";
import * as applications from "../applications/store.ts";
import * as keys from "../keys/store.ts";
import { watchClosing } from "../orders.ts";
import { payShares } from "../slots/pay.ts";
import * as slots from "../slots/store.ts";
import { type Refund, refund, refundText, release, watchDeadline } from "../slots/transitions.ts";
import * as playtests from "../store.ts";
import { endTeam } from "../teams/asking.ts";
import { type Player, playersOf } from "../teams/players.ts";
import { sharesOf } from "../teams/shares.ts";
import * as teams from "../teams/store.ts";
import { agreedLetter, answeredLetter, cancelledLetter, keptLetter, proposedLetter, releasedLetter } from "./mails.ts";
import { answerBy, bookableText, cancelsWith, closesAfterMove, isBinding, isBookable, sessionDeadline } from "./rules.ts";
import { calendarOf, watchSession } from "./sessions.ts";

/** Moving and cancelling playtests at a fixed time. Each function but the job runs inside the caller's transaction, which locked the playtest. */
type Playtest = playtests.PlaytestRow;
type Answered = Exclude<TimeAnswer, "withdrawn">;
type Claimed = slots.SlotIn<"reserved" | "blocked">;

/**
 * Moves a playtest to another time (ms): its open slots at once, and each claimed one when its playtester accepts. 409 for a playtest without
 * a fixed time, in the last 12 hours before it, and while applications for the earlier time wait. 422 for a time that could not be ordered.
 */
export async function propose(tx: Tx, playtest: Playtest, at: number): Promise<Playtest> {
  const current = playtest.scheduled_at;
  if (current === null) throw conflict("This playtest has no fixed time, so it cannot be moved. Nothing was changed.");
  if (isBinding(current, tx.now))
    throw conflict(
      "A playtest at a fixed time can be moved until 12 hours before it. Nothing was changed. Cancel it, or let it take place.",
    );
  if (!isBookable(at, tx.now)) throw invalid("scheduledAt", bookableText);
  if ((await applications.pendingOf(tx, playtest.id)).length > 0)
    throw conflict(
      `Applications wait for a decision, and their playtesters confirmed ${iso(current)}. Nothing was changed. Approve or reject them first.`,
    );
  if ((await teams.askingCounts(tx, [playtest.id], tx.now)).size > 0)
    throw conflict(
      `Friends of a playtester are asked whether they play at ${iso(current)}. Nothing was changed. Try again when they have answered.`,
    );
  const closes_at = closesAfterMove({ selectionMode: playtest.selection_mode, scheduledAt: at }, playtest.closes_at);
  const changes = { scheduled_at: at, closes_at, updated_at: tx.now };
  await playtests.update(tx, playtest.id, changes);
  await watchClosing(tx, playtest.id, closes_at);
  await slots.moveOpen(tx, playtest.id, at);
  const moved = { ...playtest, ...changes };
  for (const slot of await slots.claimedOf(tx, playtest.id)) await proposeTo(tx, slot, at);
  return moved;
}

async function proposeTo(tx: Tx, slot: Claimed, at: number): Promise<void> {
  const agreed = slot.scheduled_at!;
  if (agreed === at) return takeBack(tx, slot);
  const until = answerBy(agreed, at, tx.now);
  await slots.update(tx, slot.id, { proposed_at: at, accept_by: until });
  const payload = { slotId: slot.id, answerBy: until };
  await tx.schedule({ kind: "end-proposal", key: `${slot.id}:${until}`, payload, runAt: until });
  await tellProposed(tx, slot, { scheduledAt: at, previousAt: agreed, answerBy: until });
}

/** Ends the proposal of another time, if there is one, and tells those who were asked. */
async function takeBack(tx: Tx, slot: Claimed): Promise<void> {
  const { proposed_at: proposedAt, accept_by: answerBy, scheduled_at: agreed } = slot;
  if (proposedAt === null) return;
  await slots.update(tx, slot.id, { proposed_at: null, accept_by: null });
  const { gameName } = await partiesOf(tx, slot);
  for (const { user, claimantName } of await playersOf(tx, slot, { withAsked: true })) {
    const zone = user.time_zone;
    await emit(tx, [{ id: user.id, role: "playtester" }], {
      kind: "slot.move_answered",
      data: { ...subjectOf(slot), scheduledAt: iso(proposedAt), answer: "withdrawn", answeredAt: iso(tx.now) },
      notice: { gameName, at: zonedText(agreed!, zone), timeAnswer: "withdrawn" },
    });
    const about = { config: tx.config, gameName, zone, slotId: slot.id, claimantName };
    const times = { scheduledAt: agreed!, proposedAt, answerBy: answerBy! };
    await mailAbout(tx, user, "slot.move_answered", keptLetter({ ...about, ...times }));
  }
}

async function tellProposed(
  tx: Tx,
  slot: Claimed,
  times: { scheduledAt: number; previousAt: number; answerBy: number },
): Promise<void> {
  const { scheduledAt, previousAt, answerBy: until } = times;
  const { gameName } = await partiesOf(tx, slot);
  for (const { user, claimantName } of await playersOf(tx, slot, { withAsked: true })) {
    const zone = user.time_zone;
    await emit(tx, [{ id: user.id, role: "playtester" }], {
      kind: "slot.move_proposed",
      data: { ...subjectOf(slot), scheduledAt: iso(scheduledAt), previousAt: iso(previousAt), answerBy: iso(until) },
      notice: {
        gameName,
        claimantName,
        at: zonedText(scheduledAt, zone),
        previousAt: zonedText(previousAt, zone),
        until: zonedText(until, zone),
      },
    });
    const about = { config: tx.config, gameName, zone, slotId: slot.id, claimantName, ...times };
    await mailAbout(tx, user, "slot.move_proposed", proposedLetter(about));
  }
}

/**
 * The playtester's answer to another time, also for their team. One who declines is released, and can claim again. 409 without a proposal,
 * after its end, and when the answer names another time (ISO 8601) than the one that is proposed.
 */
export async function answer(
  tx: Tx,
  playtest: Playtest,
  slot: Claimed,
  { accept: isAccepted, scheduledAt: answered }: { accept: boolean; scheduledAt?: string | undefined },
): Promise<void> {
  const { proposed_at: at, accept_by: until } = slot;
  if (at === null) throw conflict("No other time is proposed for this slot. Nothing was changed.");
  if (until! <= tx.now) throw conflict("The time to answer has ended, and the slot is released. Nothing was changed.");
  if (answered !== undefined && Date.parse(answered) !== at)
    throw conflict(`The owner now proposes another time: ${iso(at)}. Nothing was changed. Answer that one.`);
  if (isAccepted) await accept(tx, playtest, slot, at);
  else await releaseUnmoved(tx, playtest, slot, "declined");
}

async function accept(tx: Tx, playtest: Playtest, slot: Claimed, at: number): Promise<void> {
  users.lock(tx, slot.playtester_id!);
  const other = await slots.overlapping(tx, { ...playtest, scheduled_at: at }, slot.playtester_id!, tx.now);
  if (other !== undefined)
    throw conflict(
      `You have a slot at ${iso(other)}, and cannot play both. Nothing was changed. Decline this time, or release the other slot first.`,
    );
  const deadline_at = slot.status === "blocked" ? null : sessionDeadline(at, playtest.player_count, tx.now);
  const changes = { scheduled_at: at, proposed_at: null, accept_by: null, deadline_at, build_at: null };
  await slots.update(tx, slot.id, changes);
  const moved = { ...slot, ...changes };
  if (deadline_at !== null) await watchDeadline(tx, moved);
  await watchSession(tx, moved);
  const { gameName, told } = await tellAnswer(tx, slot, at, "accepted");
  const calendar = calendarOf(tx, moved, playtest, gameName);
  const about = { config: tx.config, gameName, slotId: slot.id, scheduledAt: at, deadlineAt: deadline_at, calendar };
  for (const { user, claimantName } of told)
    await mailAbout(tx, user, "slot.move_answered", agreedLetter({ ...about, zone: user.time_zone, claimantName }));
}

/**
 * Releases a slot whose playtester does not play at the other time. A replacement opens for that time; where applications have ended, it is
 * refunded instead.
 */
async function releaseUnmoved(tx: Tx, playtest: Playtest, slot: Claimed, why: "declined" | "none"): Promise<void> {
  // The time that was proposed stays: it says why the slot was lost.
  await slots.update(tx, slot.id, { excused: 1, accept_by: null });
  const refunded = await release(tx, playtest, slot, "moved");
  const { playtester, gameName } = await tellAnswer(tx, slot, slot.proposed_at!, why, refunded);
  if (why === "declined") return;
  const letter = releasedLetter({ config: tx.config, gameName, zone: playtester.time_zone, slotId: slot.id });
  await mailAbout(tx, playtester, "slot.move_answered", letter);
}

/** Tells the owner and the players. `refunded`: what the owner got back, because no other playtester can have the slot. */
async function tellAnswer(tx: Tx, slot: Claimed, at: number, timeAnswer: Answered, refunded?: Refund) {
  const parties = await partiesOf(tx, slot);
  const { owner, playtester, gameName } = parties;
  const data = { ...subjectOf(slot), scheduledAt: iso(at), answer: timeAnswer, answeredAt: iso(tx.now) };
  const isClosed = refunded !== undefined;
  const back = refunded && refundText(refunded);
  const names = { gameName, playtesterName: playtester.display_name, timeAnswer, isClosed, refunded: back };
  // The others of a team that is released are told of its end.
  const told: Player[] = timeAnswer === "accepted" ? await playersOf(tx, slot, { withAsked: true }) : [{ user: playtester }];
  const tell = (reader: users.UserRow, role: "game_owner" | "playtester") =>
    emit(tx, [{ id: reader.id, role }], {
      kind: "slot.move_answered",
      data,
      notice: { ...names, at: zonedText(at, reader.time_zone) },
    });
  await tell(owner, "game_owner");
  for (const { user } of told) await tell(user, "playtester");
  const about = { config: tx.config, gameName, zone: owner.time_zone, slotId: slot.id, playtestId: slot.playtest_id };
  const said = { playtesterName: playtester.display_name, scheduledAt: at, answer: timeAnswer, isClosed, refunded: back };
  await mailAbout(tx, owner, "slot.move_answered", answeredLetter({ ...about, ...said }));
  return { ...parties, told };
}

/** Releases a slot whose playtester did not answer a proposal in time. Does nothing when they did, or when it was replaced by another. */
export const endProposal = (job: Job, deps: Deps) =>
  deps.store.write(async (tx) => {
    await job.done(tx);
    const slotId = String(job.payload.slotId);
    playtests.lockOfSlot(tx, slotId);
    const slot = await slots.find(tx, slotId);
    const isDue = slot !== undefined && slot.proposed_at !== null && slot.accept_by! <= tx.now;
    if (!isDue || !slots.isIn(slot, "reserved", "blocked")) return;
    await releaseUnmoved(tx, (await playtests.find(tx, slot.playtest_id))!, slot, "none");
  });

/**
 * The owner cancels a claimed slot before its fixed time: it is refunded, or in the last 12 hours its playtester is paid as if the video was
 * accepted. 409 for a slot without a fixed time or after it.
 */
export async function cancelClaimed(tx: Tx, playtest: Playtest, slot: slots.SlotIn<"reserved">): Promise<Refund> {
  const terms = cancelsWith(slot.scheduled_at, tx.now);
  if (terms === "nothing")
    throw conflict(
      "Only an open or blocked slot can be cancelled, and a claimed one before its fixed time. Nothing was changed.",
    );
  const changes = { ended_at: tx.now, excused: 1, proposed_at: null, accept_by: null };
  await slots.transition(tx, slot, "cancel", changes);
  await keys.retire(tx, slot.id, tx.now);
  if (terms === "pay") {
    const shares = await sharesOf(tx, slot, playtest.payout_cents, { mayBeIncomplete: true });
    await endTeam(tx, slot, "cancelled", [...shares.keys()]);
    await payShares(tx, playtest, slot, shares);
    await tellCancelled(tx, slot, { refunded: nothing, payoutCents: playtest.payout_cents, shares });
    return nothing;
  }
  await endTeam(tx, slot, "cancelled", [slot.playtester_id]);
  const refunded = await refund(tx, playtest, slot, "slot_refund");
  await tellCancelled(tx, slot, { refunded, payoutCents: 0, shares: new Map() });
  return refunded;
}

const nothing: Refund = { cents: 0, minutes: 0 };

interface Cancelled {
  refunded: Refund;
  /** What all players of the slot got together, and each of them, by id. */
  payoutCents: number;
  shares: ReadonlyMap<string, number>;
}

async function tellCancelled(tx: Tx, slot: Claimed, { refunded, payoutCents, shares }: Cancelled) {
  const { owner, playtester, gameName } = await partiesOf(tx, slot);
  const names = { gameName, playtesterName: playtester.display_name };
  const back = refundText(refunded);
  const tell = (reader: users.UserRow, role: "game_owner" | "playtester", cents: number) =>
    emit(tx, [{ id: reader.id, role }], {
      kind: "slot.cancelled",
      data: { ...subjectOf(slot), payoutCents: cents, cancelledAt: iso(tx.now) },
      notice: { ...names, amountCents: cents, refunded: back, at: zonedText(slot.scheduled_at!, reader.time_zone) },
    });
  await tell(owner, "game_owner", payoutCents);
  const others = [...shares.keys()].filter((id) => id !== playtester.id);
  for (const player of [playtester, ...(await Promise.all(others.map((id) => users.find(tx, id))))]) {
    if (!player) continue;
    const earned = shares.get(player.id) ?? 0;
    await tell(player, "playtester", earned);
    const about = { config: tx.config, gameName, zone: player.time_zone, slotId: slot.id };
    await mailAbout(
      tx,
      player,
      "slot.cancelled",
      cancelledLetter({ ...about, scheduledAt: slot.scheduled_at!, payoutCents: earned }),
    );
  }
}

async function partiesOf(tx: Tx, slot: Claimed) {
  const [owner, playtester, game] = await Promise.all([
    users.find(tx, slot.owner_id),
    users.find(tx, slot.playtester_id!),
    games.find(tx, slot.game_id),
  ]);
  return { owner: owner!, playtester: playtester!, gameName: game?.name ?? "" };
}

const subjectOf = (slot: Claimed) => ({
  slotId: slot.id,
  playtestId: slot.playtest_id,
  gameId: slot.game_id,
  playerId: slot.playtester_id,
});
