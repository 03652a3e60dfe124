import type { MemberStatus } from "./statuses.ts";

interface Held {
  status: string;
  playtest: { playerCount: number };
  team: { status: string; members: readonly { displayName: string; status: MemberStatus }[] } | null;
}

/**
 * Why the video of a reserved slot cannot be submitted yet: members of its team are missing. Says what whoever claimed the slot does next.
 * Undefined when it can, or has no team.
 */
export function whyTeamIsShort({ status, playtest, team }: Held): { what: string; remedy: string } | undefined {
  if (status !== "reserved" || team?.status !== "complete") return undefined;
  const having = (wanted: MemberStatus) => team.members.filter((member) => member.status === wanted);
  const [confirmed, asked] = [having("confirmed").length, having("asked")];
  if (confirmed >= playtest.playerCount) return undefined;
  const what = "Your team is not complete";
  if (confirmed + asked.length < playtest.playerCount) return { what, remedy: "Ask another friend first." };
  const names = asked.map(({ displayName }) => displayName).join(", ");
  return { what, remedy: `Wait until all have confirmed who were asked (${names}), or ask another friend.` };
}
