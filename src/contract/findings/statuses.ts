export const findingStatuses = ["open", "filed", "fixed", "verified", "wontfix"] as const;
/** What became of a finding: not decided, in the team's tracker, fixed, absent from a later build, or left as it is. */
export type FindingStatus = (typeof findingStatuses)[number];

export const buildChanges = ["appeared", "still", "gone"] as const;
/** What became of a finding from one build to another: only that nobody met it, which may be chance. */
export type BuildChange = (typeof buildChanges)[number];

/** The statuses of findings that nobody works on any more. */
export const closedStatuses = ["fixed", "verified", "wontfix"] as const satisfies readonly FindingStatus[];

export const isClosed = (status: FindingStatus) => (closedStatuses as readonly FindingStatus[]).includes(status);
