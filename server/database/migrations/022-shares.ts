/**
 * Public links to videos. The link's token is stored as a hash, which finds it, and sealed, so that its owner can see the link again.
 * `moment_ids` is a JSON array of the moments to show, where not all are shown.
 */
export const shares = {
  name: "022-shares",
  statements: [
    `CREATE TABLE shares (
      id TEXT PRIMARY KEY, owner_id TEXT NOT NULL REFERENCES users (id), playtest_id TEXT NOT NULL REFERENCES playtests (id),
      slot_id TEXT REFERENCES slots (id), token_hash TEXT NOT NULL UNIQUE, token TEXT NOT NULL, password_hash TEXT, with_name {int} NOT NULL,
      with_moments {int} NOT NULL, moment_ids TEXT NOT NULL, views {int} NOT NULL, last_viewed_at {int}, created_at {int} NOT NULL,
      expires_at {int} NOT NULL) {strict}`,
    "CREATE INDEX shares_by_owner ON shares (owner_id, created_at, id)",
    "CREATE INDEX shares_by_expiry ON shares (expires_at)",
  ],
};
