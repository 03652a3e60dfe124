/** Where teams keep their issues. */
export const trackers = ["github", "gitlab", "jira", "linear"] as const;
export type TrackerName = (typeof trackers)[number];

export const trackerTitles: Readonly<Record<TrackerName, string>> = {
  github: "GitHub",
  gitlab: "GitLab",
  jira: "Jira",
  linear: "Linear",
};

export const trackerPriorities = ["urgent", "high", "medium", "low"] as const;
export type TrackerPriority = (typeof trackerPriorities)[number];

export const issueStates = ["waiting", "open", "closed", "deleted"] as const;
/** What is known of the issue of a finding. `waiting`: it is not known to exist. */
export type IssueState = (typeof issueStates)[number];

/** A part of a path that is none of `.` and `..`. */
const part = String.raw`(?!\.{1,2}(?:/|$))[\w.-]{1,100}`;

/** What a target of each tracker looks like, with an example. */
export const targets: Readonly<Record<TrackerName, { pattern: RegExp; example: string; what: string }>> = {
  github: { pattern: new RegExp(`^${part}/${part}$`), example: "acme/lantern", what: "owner/repository" },
  gitlab: { pattern: new RegExp(`^${part}(?:/${part}){1,20}$`), example: "acme/games/lantern", what: "group/project" },
  jira: { pattern: /^[A-Z][A-Z0-9_]{1,19}$/, example: "LANT", what: "the key of a project" },
  linear: { pattern: /^[A-Z0-9]{1,10}$/, example: "LAN", what: "the key of a team" },
};

export const isTarget = (tracker: TrackerName, target: string): boolean => targets[tracker].pattern.test(target);
