import { enumerated } from "./002-enumerations.ts";

const names = ["github", "gitlab", "jira", "linear"];

/** Findings as issues of a team's tracker, the tokens with which an owner reaches it, and since when a finding is closed. */
export const trackers = {
  name: "050-trackers",
  statements: [
    "ALTER TABLE findings ADD COLUMN closed_at {int}",
    "UPDATE findings SET closed_at = updated_at WHERE status IN ('fixed', 'verified', 'wontfix')",
    `CREATE TABLE tracker_connections (
      id TEXT PRIMARY KEY, owner_id TEXT NOT NULL REFERENCES users (id), tracker TEXT NOT NULL, site TEXT NOT NULL, account TEXT NOT NULL,
      sealed TEXT NOT NULL, paused_until {int}, created_at {int} NOT NULL) {strict}`,
    "CREATE UNIQUE INDEX tracker_connections_of_owner ON tracker_connections (owner_id, tracker)",
    ...enumerated("tracker_connections", { tracker: names }),
    `CREATE TABLE finding_issues (
      finding_id TEXT PRIMARY KEY REFERENCES findings (id), game_id TEXT NOT NULL REFERENCES games (id),
      owner_id TEXT NOT NULL REFERENCES users (id), tracker TEXT NOT NULL, target TEXT NOT NULL, labels TEXT NOT NULL, assignee TEXT,
      priority TEXT, issue_type TEXT, share_id TEXT, state TEXT NOT NULL, marker TEXT NOT NULL, begun_at {int}, remote_id TEXT,
      remote_key TEXT, url TEXT, sent_hash TEXT, error TEXT, attempts {int} NOT NULL, next_attempt_at {int}, checked_at {int},
      created_at {int} NOT NULL, updated_at {int} NOT NULL) {strict}`,
    "CREATE INDEX finding_issues_by_game ON finding_issues (game_id)",
    "CREATE INDEX finding_issues_by_owner ON finding_issues (owner_id)",
    ...enumerated("finding_issues", {
      tracker: names,
      state: ["waiting", "open", "closed", "deleted"],
      priority: ["urgent", "high", "medium", "low"],
    }),
  ],
};
