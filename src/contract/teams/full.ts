import type { MemberStatus } from "./statuses.ts";

type Members = readonly { displayName: string; status: MemberStatus }[];

interface Held {
  status: string;
  playtest: { playerCount: number };
  team: { status: string; members: Members } | null;
}

/**
 * What whoever claimed the slot does about members that their team, which was complete once, has lost. `members` are all who were ever asked.
 * Undefined when nobody is missing.
 */
export function missingRemedy(playerCount: number, members: Members): string | undefined {
  const having = (wanted: MemberStatus) => members.filter((member) => member.status === wanted);
  const [confirmed, asked] = [having("confirmed").length, having("asked")];
  if (confirmed >= playerCount) return undefined;
  if (confirmed + asked.length < playerCount) return "Ask another friend first.";
  const names = asked.map(({ displayName }) => displayName).join(", ");
  return `Wait until all have confirmed who were asked (${names}), or ask another friend.`;
}

/**
 * Why the video of a reserved slot cannot be submitted yet: members of its team are missing. Says what whoever claimed the slot does next.
 * Undefined when it can, or has no team.
 */
export function whyTeamIsShort({ status, playtest, team }: Held): { what: string; remedy: string } | undefined {
  if (status !== "reserved" || team?.status !== "complete") return undefined;
  const remedy = missingRemedy(playtest.playerCount, team.members);
  return remedy === undefined ? undefined : { what: "Your team is not complete", remedy };
}
