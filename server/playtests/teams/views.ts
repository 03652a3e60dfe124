import type { UserRow } from "../../accounts/users-store.ts";
import type { ReadTx } from "../../app/tx.ts";
import type { Config } from "../../config/schema.ts";
import type { Query } from "../../database/port.ts";
import { isoOrNull } from "../../lib/time.ts";
import { agreementToAccept } from "../agreements/service.ts";
import { asked } from "../publications/consents.ts";
import type { SlotDetailRow } from "../slots/store.ts";
import type { PlaytestRow } from "../store.ts";
import { needsTeam } from "./requirements.ts";
import { isSeated, replaceable } from "./rules.ts";
import * as store from "./store.ts";

/** A team with everybody who was ever asked for it. */
export interface KnownTeam {
  team: store.TeamRow;
  members: readonly store.NamedMemberRow[];
}

/** The teams of these slots, by slot. */
export async function teamsOf(q: Query, slotIds: readonly string[]): Promise<Map<string, KnownTeam>> {
  if (slotIds.length === 0) return new Map();
  const teams = await store.ofSlots(q, slotIds);
  if (teams.length === 0) return new Map();
  const members = await store.membersOf(
    q,
    teams.map(({ id }) => id),
  );
  return new Map(teams.map((team) => [team.slot_id, { team, members: members.filter((one) => one.team_id === team.id) }]));
}

/** Whether this playtester plays the slot: confirmed, and the team is complete. */
export const isPlayer = ({ team, members }: KnownTeam, userId: string) =>
  team.status === "complete" && members.some((member) => member.user_id === userId && member.status === "confirmed");

/** What a member has to agree to before the slot is theirs. */
interface Asked<Consent> {
  publicationConsent: Consent;
  mustAccept: boolean;
}

/** A team as one of its members sees it. */
function teamView<Consent>({ team, members }: KnownTeam, userId: string, playerCount: number, agreed: Asked<Consent>) {
  const asked = team.claimant_id === userId ? replaceable(playerCount, userId, members) : [];
  return {
    status: team.status,
    confirmBy: team.status === "asking" ? isoOrNull(team.confirm_by) : null,
    yourShareCents: members.find((member) => member.user_id === userId)?.share_cents ?? 0,
    ...agreed,
    members: members.map((member) => ({
      handle: member.handle,
      displayName: member.display_name,
      isYou: member.user_id === userId,
      isClaimant: member.user_id === team.claimant_id,
      status: member.status,
      shareCents: member.share_cents,
      answerBy: isoOrNull(member.answer_by),
      canBeReplaced: asked.includes(member),
    })),
  };
}

/** The team of a slot as this member sees it. */
export async function teamOf(
  q: ReadTx,
  slot: Pick<SlotDetailRow, "game_id" | "visibility" | "player_count">,
  team: KnownTeam,
  reader: UserRow,
) {
  const me = team.members.find(({ user_id, status }) => user_id === reader.id && isSeated({ status }));
  const isAwaited = me?.status === "asked" || (me !== undefined && team.team.status === "asking");
  const mustAccept = isAwaited && (await agreementToAccept(q, slot.game_id, reader.id)) !== undefined;
  return teamView(team, reader.id, slot.player_count, { publicationConsent: asked(q, slot, reader), mustAccept });
}

interface OfferedFriend {
  playtest_id: string;
  handle: string;
  display_name: string;
}

/** What an offer says of the team that it needs. `friends` are those of the playtester for all offers. */
export function offeredTeam(config: Config, playtest: PlaytestRow, friends: readonly OfferedFriend[]) {
  if (!needsTeam(config, playtest)) return null;
  return {
    friendsNeeded: playtest.player_count - 1,
    confirmWithinMinutes: Math.round(config.multiplayer.confirmWithinMs / 60_000),
    friends: friends
      .filter(({ playtest_id }) => playtest_id === playtest.id)
      .map(({ handle, display_name: displayName }) => ({ handle, displayName })),
  };
}
