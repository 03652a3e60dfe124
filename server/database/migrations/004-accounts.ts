/** Mails whose only purpose is a link that works once. */
const linkMails = "subject IN ('Verify your email address', 'Reset your password', 'Your sign-in link')";

/**
 * Where accounts were created and browsers signed in from, keys that belong to another key, changes of an email address, and mails
 * without the secrets that were in them.
 */
export const accounts = {
  name: "004-accounts",
  statements: [
    "ALTER TABLE users ADD COLUMN created_from TEXT",
    "ALTER TABLE users ADD COLUMN created_with TEXT",
    "ALTER TABLE users ADD COLUMN deleted_at {int}",
    "CREATE INDEX users_unverified ON users (created_at) WHERE email_verified_at IS NULL",
    "ALTER TABLE api_keys ADD COLUMN parent_id TEXT",
    "CREATE INDEX api_keys_by_parent ON api_keys (parent_id) WHERE parent_id IS NOT NULL",
    "ALTER TABLE sessions ADD COLUMN id TEXT",
    "ALTER TABLE sessions ADD COLUMN last_used_at {int}",
    "ALTER TABLE sessions ADD COLUMN address TEXT",
    "ALTER TABLE sessions ADD COLUMN agent TEXT",
    {
      sqlite: `UPDATE sessions SET id = lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2)
        || '-8' || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6)))`,
      postgres: "UPDATE sessions SET id = gen_random_uuid()::text",
    },
    "CREATE UNIQUE INDEX sessions_by_id ON sessions (id)",
    `CREATE TABLE email_changes (
      user_id TEXT PRIMARY KEY REFERENCES users (id), email TEXT NOT NULL, email_key TEXT NOT NULL, created_at {int} NOT NULL, expires_at {int} NOT NULL,
      from_confirmed_at {int}, to_confirmed_at {int}) {strict}`,
    "ALTER TABLE one_time_tokens DROP CONSTRAINT one_time_tokens_purpose_check",
    { table: "one_time_tokens", column: "purpose", values: ["verify", "reset", "sign-in", "email-from", "email-to"] },
    "ALTER TABLE mails ADD COLUMN sealed TEXT",
    `UPDATE mails SET text_body = '', html_body = NULL WHERE (sent_at IS NOT NULL OR failed_at IS NOT NULL) AND ${linkMails}`,
  ],
};
