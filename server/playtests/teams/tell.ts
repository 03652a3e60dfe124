import { missingRemedy } from "../../../src/contract/teams/full.ts";
import type { Absence, TeamEnding } from "../../../src/contract/teams/statuses.ts";
import { zonedText } from "../../../src/contract/time/zones.ts";
import * as users from "../../accounts/users-store.ts";
import type { Tx } from "../../app/tx.ts";
import { emit } from "../../events/emit.ts";
import { mailTask, mailUserAbout } from "../../events/event-mails.ts";
import * as games from "../../games/store.ts";
import { iso, isoOrNull, utc } from "../../lib/time.ts";
import { nameInMail } from "../../mail/texts.ts";
import { agreementToAccept } from "../agreements/service.ts";
import { calendarOf } from "../schedule/sessions.ts";
import type { SlotRow } from "../slots/store.ts";
import type { PlaytestRow } from "../store.ts";
import { changedAgreementLetter, completeLetter, endedLetter, incompleteLetter, joinedLetter, requestLetter } from "./letters.ts";
import { isSeated } from "./rules.ts";
import { type MemberRow, type NamedMemberRow, type TeamRow, waitingMembers } from "./store.ts";

/** What the members of a team are told. Each function runs inside the caller's transaction. */
const subjectOf = (slot: SlotRow, { claimant_id }: TeamRow) => ({
  slotId: slot.id,
  playtestId: slot.playtest_id,
  gameId: slot.game_id,
  playerId: claimant_id,
});

async function aboutOf(tx: Tx, slot: SlotRow, { claimant_id }: TeamRow) {
  const [game, claimant] = [await games.find(tx, slot.game_id), (await users.find(tx, claimant_id))!];
  const names = { gameName: game?.name ?? "", claimantName: claimant.display_name };
  return { ...names, notice: { gameName: names.gameName, playtesterName: names.claimantName } };
}

const toPlaytester = (id: string) => [{ id, role: "playtester" as const }];

/** Asks a member to confirm. */
export async function tellAsked(tx: Tx, team: TeamRow, slot: SlotRow, playtest: PlaytestRow, member: MemberRow): Promise<void> {
  const { gameName, claimantName, notice } = await aboutOf(tx, slot, team);
  const [confirmBy, shareCents] = [member.answer_by!, member.share_cents];
  const at = await sessionText(tx, slot, member.user_id);
  await emit(tx, toPlaytester(member.user_id), {
    kind: "team.requested",
    data: { ...subjectOf(slot, team), shareCents, expiresAt: iso(confirmBy) },
    notice: { ...notice, ...(at && { at }), amountCents: shareCents, until: utc(confirmBy) },
  });
  const about = { config: tx.config, gameName, claimantName, slotId: slot.id };
  const isReserved = team.status === "complete";
  const asked = { ...about, at, shareCents, payoutCents: playtest.payout_cents, confirmBy, isReserved };
  await mailUserAbout(tx, member.user_id, "team.requested", (zone) => requestLetter({ ...asked, zone }));
}

interface Complete {
  team: TeamRow;
  slot: SlotRow;
  playtest: PlaytestRow;
}

/** Who joined a team that others are still missing in, and what its claimant does about those. */
interface Missing {
  joinedName: string;
  remedy: string;
}

/**
 * Tells the claimant of a complete team, and whoever joined it in the place of one who left; everybody when nobody is missing any more,
 * because who joined before was told that somebody is. `members` are all who were ever asked.
 */
export async function tellJoined(
  tx: Tx,
  complete: Complete,
  members: readonly NamedMemberRow[],
  { user_id, display_name: joinedName }: NamedMemberRow,
): Promise<void> {
  const named = members.map(({ display_name, status }) => ({ displayName: nameInMail(display_name), status }));
  const remedy = missingRemedy(complete.playtest.player_count, named);
  if (remedy !== undefined) return tellComplete(tx, complete, [complete.team.claimant_id, user_id], { joinedName, remedy });
  const seated = members.filter(isSeated).map(({ user_id: id }) => id);
  await tellComplete(tx, complete, seated);
}

/** Tells these members that they hold the slot, whether the team is complete, and of a playtest at a fixed time when they play. */
export async function tellComplete(
  tx: Tx,
  { team, slot, playtest }: Complete,
  userIds: readonly string[],
  missing?: Missing,
): Promise<void> {
  const { gameName, claimantName, notice } = await aboutOf(tx, slot, team);
  const { deadline_at: deadlineAt, scheduled_at: scheduledAt, id: slotId } = slot;
  const times = { usefulUntil: scheduledAt ?? deadlineAt ?? undefined, calendar: calendarOf(tx, slot, playtest, gameName) };
  for (const id of userIds) {
    const at = await sessionText(tx, slot, id);
    const isClaimant = id === team.claimant_id;
    await emit(tx, toPlaytester(id), {
      kind: "team.confirmed",
      data: { ...subjectOf(slot, team), deadlineAt: isoOrNull(deadlineAt) },
      notice: {
        ...notice,
        ...(at && { at }),
        ...(deadlineAt !== null && { until: utc(deadlineAt) }),
        ...(!isClaimant && { claimantName }),
        isShort: missing !== undefined,
      },
    });
    const about = { config: tx.config, gameName, claimantName, slotId, deadlineAt, isClaimant, at };
    const letter = (zone: string | null) =>
      missing ? joinedLetter({ ...about, ...missing, zone }) : completeLetter({ ...about, zone });
    await mailUserAbout(tx, id, "team.confirmed", (zone) => ({ ...letter(zone), ...times }));
  }
}

/** The fixed time of a slot in the zone of a reader; undefined without one. */
async function sessionText(tx: Tx, { scheduled_at: at }: SlotRow, userId: string): Promise<string | undefined> {
  return at === null ? undefined : zonedText(at, (await users.find(tx, userId))?.time_zone);
}

/** Asks everybody who confirmed in a team that waits for others to accept an agreement that was just published, of a game or (null) of the server. */
export async function askToAccept(tx: Tx, gameId: string | null): Promise<void> {
  for (const { user_id, game_id, game_name: gameName, playtest_id: playtestId } of await waitingMembers(tx, gameId, tx.now)) {
    if ((await agreementToAccept(tx, game_id, user_id)) === undefined) continue;
    await mailTask(tx, user_id, changedAgreementLetter({ config: tx.config, gameName, playtestId }));
  }
}

/** Tells the claimant who is missing. */
export async function tellAbsence(
  tx: Tx,
  team: TeamRow,
  slot: SlotRow,
  { user_id: memberId, display_name: memberName }: NamedMemberRow,
  absence: Absence,
): Promise<void> {
  const { gameName, notice } = await aboutOf(tx, slot, team);
  await emit(tx, toPlaytester(team.claimant_id), {
    kind: "team.incomplete",
    data: { ...subjectOf(slot, team), memberId, absence },
    notice: { ...notice, memberName, absence },
  });
  const letter = incompleteLetter({ config: tx.config, gameName, slotId: slot.id, memberName, absence });
  await mailUserAbout(tx, team.claimant_id, "team.incomplete", letter);
}

/** Tells these members that the team has ended, for all or for them. */
export async function tellEnded(
  tx: Tx,
  team: TeamRow,
  slot: SlotRow,
  userIds: readonly string[],
  ending: TeamEnding,
): Promise<void> {
  const { gameName, notice } = await aboutOf(tx, slot, team);
  for (const id of userIds) {
    await emit(tx, toPlaytester(id), {
      kind: "team.ended",
      data: { ...subjectOf(slot, team), ending },
      notice: { ...notice, teamEnding: ending },
    });
    await mailUserAbout(tx, id, "team.ended", endedLetter({ config: tx.config, gameName, ending }));
  }
}
