/**
 * The audit log. Entries are written by the transactions they are about; a link gives an entry its place in the hash chain, after the
 * commit. Neither is ever changed or removed. No foreign keys: PostgreSQL checks them with a row lock, which needs the privilege to update.
 */
export const appendOnly = (table: string, noun: string) => [
  {
    sqlite: `CREATE TRIGGER ${table}_unchanged BEFORE UPDATE ON ${table} BEGIN SELECT RAISE(ABORT, '${noun} is never changed'); END`,
    postgres: `REVOKE UPDATE, TRUNCATE ON ${table} FROM CURRENT_USER`,
  },
  {
    sqlite: `CREATE TRIGGER ${table}_kept BEFORE DELETE ON ${table} BEGIN SELECT RAISE(ABORT, '${noun} is never removed'); END`,
    postgres: `REVOKE DELETE ON ${table} FROM CURRENT_USER`,
  },
];

export const audit = {
  name: "005-audit",
  statements: [
    `CREATE TABLE audit_entries (
      id TEXT PRIMARY KEY, created_at {int} NOT NULL, actor_id TEXT, key_id TEXT, session_id TEXT, address TEXT, request_id TEXT,
      action TEXT NOT NULL, target_kind TEXT NOT NULL, target_id TEXT NOT NULL, details TEXT NOT NULL, state_before TEXT, state_after TEXT) {strict}`,
    "CREATE INDEX audit_entries_by_time ON audit_entries (created_at, id)",
    "CREATE INDEX audit_entries_by_actor ON audit_entries (actor_id, created_at, id)",
    "CREATE INDEX audit_entries_by_action ON audit_entries (action, created_at, id)",
    "CREATE INDEX audit_entries_by_target ON audit_entries (target_id, created_at, id)",
    ...appendOnly("audit_entries", "an audit entry"),
    "CREATE TABLE audit_links (seq {int} PRIMARY KEY, entry_id TEXT NOT NULL UNIQUE, hash TEXT NOT NULL) {strict}",
    ...appendOnly("audit_links", "a link of the audit log"),
    "CREATE TABLE audit_pending (entry_id TEXT PRIMARY KEY) {strict}",
  ],
};
