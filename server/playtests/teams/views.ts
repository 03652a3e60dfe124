import type { Query } from "../../database/port.ts";
import { isoOrNull } from "../../lib/time.ts";
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

/** What a member has to agree to before they confirm. */
interface Asked<Consent> {
  publicationConsent: Consent;
  mustAccept: boolean;
}

/** A team as one of its members sees it. */
export function teamView<Consent>({ team, members }: KnownTeam, userId: string, asked: Asked<Consent>) {
  return {
    status: team.status,
    confirmBy: team.status === "asking" ? isoOrNull(team.confirm_by) : null,
    yourShareCents: members.find((member) => member.user_id === userId)?.share_cents ?? 0,
    ...asked,
    members: members.map((member) => ({
      handle: member.handle,
      displayName: member.display_name,
      isYou: member.user_id === userId,
      isClaimant: member.user_id === team.claimant_id,
      status: member.status,
      shareCents: member.share_cents,
      answerBy: isoOrNull(member.answer_by),
    })),
  };
}
