import { enumerated, eventKinds } from "./002-enumerations.ts";

export const kinds = [...eventKinds, "slot.blocked", "slot.resolved", "playtest.keys_low"];
export const withKinds = [
  ["events", "kind"],
  ["notifications", "type"],
  ["webhook_deliveries", "event"],
] as const;

/** Keys of a slot that opened again after a playtester had seen them. */
const seen = "slot_id IN (SELECT s.id FROM slots s WHERE s.status = 'open')";

/**
 * Game keys that are never given to a second playtester. Keys that wait for one are retired, and a job warns the owners whose open slots
 * have none left.
 */
export const retiredKeys = {
  name: "009-retired-keys",
  statements: [
    "ALTER TABLE playtest_keys ADD COLUMN retired_at {int}",
    "ALTER TABLE playtests ADD COLUMN uses_keys {int} NOT NULL DEFAULT 0",
    "UPDATE playtests SET uses_keys = 1 WHERE id IN (SELECT playtest_id FROM playtest_keys)",
    `UPDATE playtest_keys SET retired_at = (SELECT s.created_at FROM slots s WHERE s.id = playtest_keys.slot_id) WHERE ${seen}`,
    `INSERT INTO jobs (id, kind, unique_key, payload, run_at, attempts, state, lease_until, created_at)
      SELECT p.id, 'warn-about-keys', 'warn-about-keys:' || p.id, '{"playtestId":"' || p.id || '"}', p.updated_at, 0, 'queued', 0, p.updated_at
      FROM playtests p WHERE p.status = 'active' AND p.id IN (SELECT playtest_id FROM playtest_keys WHERE retired_at IS NOT NULL)`,
    ...withKinds.map(([table, column]) => `ALTER TABLE ${table} DROP CONSTRAINT ${table}_${column}_check`),
    ...withKinds.flatMap(([table, column]) => enumerated(table, { [column]: kinds })),
  ],
};
