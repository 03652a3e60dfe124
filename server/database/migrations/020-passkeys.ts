/** Passkeys of accounts, and the challenges that browsers are to sign with one. */
export const passkeys = {
  name: "020-passkeys",
  statements: [
    `CREATE TABLE passkeys (
      id TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES users (id), credential_id TEXT NOT NULL UNIQUE, public_key TEXT NOT NULL,
      counter {int} NOT NULL, transports TEXT NOT NULL, user_handle TEXT NOT NULL, name TEXT NOT NULL, created_at {int} NOT NULL,
      last_used_at {int}, blocked_at {int}) {strict}`,
    "CREATE INDEX passkeys_by_user ON passkeys (user_id)",
    `CREATE TABLE passkey_challenges (
      bound_to TEXT PRIMARY KEY, challenge TEXT NOT NULL, user_id TEXT REFERENCES users (id), user_handle TEXT,
      expires_at {int} NOT NULL) {strict}`,
    "CREATE INDEX passkey_challenges_by_expiry ON passkey_challenges (expires_at)",
  ],
};
