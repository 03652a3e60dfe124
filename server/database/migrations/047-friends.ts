import { enumerated } from "./002-enumerations.ts";
import { withKinds } from "./039-publications.ts";
import { kinds as earlier } from "./045-schedule.ts";

export const kinds = [
  ...earlier,
  "friend.requested",
  "friend.accepted",
  "team.requested",
  "team.confirmed",
  "team.incomplete",
  "team.ended",
];

/**
 * Friends of playtesters: each of two has a row about the other, and sees only that one. The teams in which they play the slots of multiplayer
 * playtests: an open slot with a team that is `asking` is held for it. `playtest_keys.user_id` is the member whose key it is.
 */
export const friends = {
  name: "047-friends",
  statements: [
    `CREATE TABLE playtester_profiles (
      user_id TEXT PRIMARY KEY REFERENCES users (id), handle TEXT UNIQUE, available {int} NOT NULL DEFAULT 1, created_at {int} NOT NULL,
      updated_at {int} NOT NULL) {strict}`,
    `CREATE TABLE friends (
      id TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES users (id), other_id TEXT NOT NULL REFERENCES users (id), status TEXT NOT NULL,
      created_at {int} NOT NULL, updated_at {int} NOT NULL) {strict}`,
    "CREATE UNIQUE INDEX friends_by_pair ON friends (user_id, other_id)",
    "CREATE INDEX friends_by_other ON friends (other_id)",
    ...enumerated("friends", { status: ["sent", "received", "connected", "blocked"] }),
    `CREATE TABLE teams (
      id TEXT PRIMARY KEY, slot_id TEXT NOT NULL REFERENCES slots (id), playtest_id TEXT NOT NULL REFERENCES playtests (id),
      claimant_id TEXT NOT NULL REFERENCES users (id), status TEXT NOT NULL, confirm_by {int} NOT NULL, created_at {int} NOT NULL,
      ended_at {int}) {strict}`,
    "CREATE UNIQUE INDEX teams_of_slot ON teams (slot_id) WHERE status <> 'ended'",
    "CREATE INDEX teams_by_playtest ON teams (playtest_id)",
    ...enumerated("teams", { status: ["asking", "complete", "ended"] }),
    `CREATE TABLE team_members (
      id TEXT PRIMARY KEY, team_id TEXT NOT NULL REFERENCES teams (id), slot_id TEXT NOT NULL REFERENCES slots (id),
      user_id TEXT NOT NULL REFERENCES users (id), seat {int} NOT NULL, status TEXT NOT NULL, share_cents {int} NOT NULL, answer_by {int},
      created_at {int} NOT NULL, updated_at {int} NOT NULL) {strict}`,
    "CREATE UNIQUE INDEX team_members_by_user ON team_members (user_id, team_id)",
    "CREATE UNIQUE INDEX team_members_by_seat ON team_members (team_id, seat) WHERE status IN ('asked', 'confirmed')",
    "CREATE INDEX team_members_by_slot ON team_members (slot_id)",
    ...enumerated("team_members", { status: ["asked", "confirmed", "declined", "left", "expired"] }),
    "ALTER TABLE playtest_keys ADD COLUMN user_id TEXT",
    ...withKinds.map(([table, column]) => `ALTER TABLE ${table} DROP CONSTRAINT ${table}_${column}_check`),
    ...withKinds.flatMap(([table, column]) => enumerated(table, { [column]: kinds })),
  ],
};
