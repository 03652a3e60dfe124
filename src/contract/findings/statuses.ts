export const findingStatuses = ["open", "filed", "fixed", "verified", "wontfix"] as const;
/** What became of a finding: not decided, in the team's tracker, fixed, absent from a later build, or left as it is. */
export type FindingStatus = (typeof findingStatuses)[number];

/** The statuses of findings that nobody works on any more. */
export const closedStatuses = ["fixed", "verified", "wontfix"] as const satisfies readonly FindingStatus[];

export const isClosed = (status: FindingStatus) => (closedStatuses as readonly FindingStatus[]).includes(status);
