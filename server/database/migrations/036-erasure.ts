/**
 * Keys that replaced another without a password, and the rest of the accounts that were deleted before their files were removed too: a job
 * for each of them removes it.
 */
export const erasure = {
  name: "036-erasure",
  statements: [
    "ALTER TABLE api_keys ADD COLUMN rotated_from TEXT",
    "CREATE INDEX api_keys_by_rotated_from ON api_keys (rotated_from) WHERE rotated_from IS NOT NULL",
    `INSERT INTO jobs (id, kind, unique_key, payload, run_at, attempts, failures, state, lease_until, created_at)
      SELECT 'finish-deletion:' || id, 'finish-deletion', 'finish-deletion:' || id, '{"userId":"' || id || '"}', 0, 0, 0, 'queued', 0, 0
      FROM users WHERE deleted_at IS NOT NULL`,
  ],
};
