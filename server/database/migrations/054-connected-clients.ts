import { enumerated } from "./002-enumerations.ts";

/**
 * Clients of the Model Context Protocol that an owner connected by OAuth. What each may do is an API key whose secret nobody has: its tokens
 * stand beside it, so that its budgets, its end and its revocation are those of a key.
 */
export const connectedClients = {
  name: "054-connected-clients",
  statements: [
    "ALTER TABLE api_keys ADD COLUMN client_id TEXT",
    "ALTER TABLE api_keys ADD COLUMN toolsets TEXT",
    `CREATE TABLE connection_requests (
      id TEXT PRIMARY KEY, client_id TEXT NOT NULL, client_name TEXT NOT NULL, redirect_uri TEXT NOT NULL, state TEXT, challenge TEXT NOT NULL,
      toolsets TEXT NOT NULL, created_at {int} NOT NULL, expires_at {int} NOT NULL, user_id TEXT, key_id TEXT, key_expires_at {int},
      decided_at {int}, used_at {int}) {strict}`,
    "CREATE INDEX connection_requests_by_end ON connection_requests (expires_at)",
    "CREATE INDEX connection_requests_by_user ON connection_requests (user_id) WHERE user_id IS NOT NULL",
    `CREATE TABLE connection_tokens (
      hash TEXT PRIMARY KEY, kind TEXT NOT NULL, key_id TEXT NOT NULL REFERENCES api_keys (id), created_at {int} NOT NULL,
      expires_at {int} NOT NULL, used_at {int}) {strict}`,
    "CREATE INDEX connection_tokens_by_key ON connection_tokens (key_id)",
    "CREATE INDEX connection_tokens_by_end ON connection_tokens (expires_at)",
    ...enumerated("connection_tokens", { kind: ["access", "refresh"] }),
  ],
};
