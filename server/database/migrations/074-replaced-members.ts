import { enumerated } from "./002-enumerations.ts";

/** A member of a team in whose place another friend was asked before they answered did not fail to answer. */
export const replacedMembers = {
  name: "074-replaced-members",
  statements: [
    "ALTER TABLE team_members DROP CONSTRAINT team_members_status_check",
    ...enumerated("team_members", { status: ["asked", "confirmed", "declined", "left", "expired", "replaced"] }),
  ],
};
