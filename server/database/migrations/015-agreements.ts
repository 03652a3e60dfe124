/** Agreements that playtesters accept before they claim a slot: every version, and who accepted it. A version without a text ends it. */
export const agreements = {
  name: "015-agreements",
  statements: [
    `CREATE TABLE agreements (
      id TEXT PRIMARY KEY, game_id TEXT REFERENCES games (id), number {int} NOT NULL, text TEXT, sha256 TEXT NOT NULL, created_at {int} NOT NULL) {strict}`,
    "CREATE UNIQUE INDEX agreements_by_number ON agreements (COALESCE(game_id, ''), number)",
    `CREATE TABLE consents (
      id TEXT PRIMARY KEY, agreement_id TEXT NOT NULL REFERENCES agreements (id), user_id TEXT NOT NULL REFERENCES users (id),
      address TEXT, created_at {int} NOT NULL, UNIQUE (agreement_id, user_id)) {strict}`,
    "CREATE INDEX consents_by_user ON consents (user_id)",
    "CREATE INDEX consents_by_time ON consents (created_at, id)",
  ],
};
