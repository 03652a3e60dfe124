/** Second factors of accounts, their recovery codes, and when an API key or session was last confirmed with one. */
export const secondFactors = {
  name: "011-second-factors",
  statements: [
    `CREATE TABLE second_factors (
      user_id TEXT PRIMARY KEY REFERENCES users (id), secret TEXT NOT NULL, created_at {int} NOT NULL, enabled_at {int},
      last_step {int} NOT NULL, wrong_codes {int} NOT NULL, wrong_at {int} NOT NULL) {strict}`,
    `CREATE TABLE recovery_codes (
      hash TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES users (id), created_at {int} NOT NULL, used_at {int}) {strict}`,
    "CREATE INDEX recovery_codes_by_user ON recovery_codes (user_id)",
    `CREATE TABLE confirmations (
      credential_id TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES users (id), confirmed_at {int} NOT NULL) {strict}`,
    "CREATE INDEX confirmations_by_user ON confirmations (user_id)",
    "ALTER TABLE one_time_tokens DROP CONSTRAINT one_time_tokens_purpose_check",
    {
      table: "one_time_tokens",
      column: "purpose",
      values: ["verify", "reset", "sign-in", "email-from", "email-to", "second-step"],
    },
  ],
};
