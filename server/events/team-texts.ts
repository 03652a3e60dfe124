import type { Absence, TeamEnding } from "../../src/contract/teams/statuses.ts";

/** What notifications and emails both say of teams. */

/** Why a member of a team is missing. */
export const absenceTexts: Record<Absence, string> = {
  declined: "declined to play",
  left: "left the team",
  expired: "did not confirm in time",
};
const endingTexts: Record<Exclude<TeamEnding, "replaced">, string> = {
  expired: "Not everybody confirmed in time, so the slot is open again. You can claim it again.",
  closed: "The slots of the playtest closed before everybody confirmed.",
  withdrawn: "The playtester who claimed the slot withdrew the request.",
  cancelled: "The slot was cancelled.",
  released: "The playtester who claimed the slot released it.",
  moved:
    "The owner proposed another time, and the playtester who claimed the slot did not accept it. This does not count against you.",
};

/** That somebody is in a team no more: it ended, or goes on with another friend. */
export const endedText = (ending: TeamEnding, game: string): { title: string; body: string } =>
  ending === "replaced"
    ? {
        title: "Another friend was asked",
        body: `You need not answer: the playtester who named you to playtest ${game} asked another friend in your place.`,
      }
    : { title: "Team ended", body: `Your team will not playtest ${game}. ${endingTexts[ending]}` };
