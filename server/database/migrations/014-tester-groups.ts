/** Groups of playtesters, and the group that a playtest is offered to, by its name. */
export const testerGroups = {
  name: "014-tester-groups",
  statements: [
    "CREATE TABLE tester_groups (id TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE, created_at {int} NOT NULL) {strict}",
    `CREATE TABLE tester_group_members (
      group_id TEXT NOT NULL REFERENCES tester_groups (id), user_id TEXT NOT NULL REFERENCES users (id), created_at {int} NOT NULL,
      PRIMARY KEY (group_id, user_id)) {strict}`,
    "CREATE INDEX tester_group_members_by_user ON tester_group_members (user_id)",
    "ALTER TABLE playtests ADD COLUMN panel TEXT",
    "CREATE INDEX playtests_by_panel ON playtests (panel) WHERE panel IS NOT NULL",
  ],
};
