/** How a playtester stands with another one: `sent` and `received` are requests, from the view of the one who lists them. */
export const friendStatuses = ["sent", "received", "connected", "blocked"] as const;
export type FriendStatus = (typeof friendStatuses)[number];

/** A team of friends for a slot: `asking` until all of them confirmed, `ended` when they did not. */
export const teamStatuses = ["asking", "complete", "ended"] as const;

/** `replaced`: another friend was asked before they answered. */
export const memberStatuses = ["asked", "confirmed", "declined", "left", "expired", "replaced"] as const;
export type MemberStatus = (typeof memberStatuses)[number];

/** Why a team is not complete, or ended; for a member who was `replaced`, only for them. */
export const absences = ["declined", "left", "expired"] as const;
export type Absence = (typeof absences)[number];
export const teamEndings = ["expired", "closed", "withdrawn", "cancelled", "released", "moved", "replaced"] as const;
export type TeamEnding = (typeof teamEndings)[number];
