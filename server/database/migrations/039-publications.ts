import { enumerated } from "./002-enumerations.ts";
import { withKinds as earlierTables } from "./010-notifications.ts";
import { kinds as earlier } from "./012-disputes.ts";

export const kinds = [...earlier, "slot.published", "slot.publish_failed"];
export const withKinds = [...earlierTables, ["notification_settings", "kind"]] as const;

/**
 * What becomes of the video of an accepted public slot: one row for each place where it is or was published, of which one is not removed.
 * Until now only the server's own page showed videos, and what failed there was not tried again after some days: those are tried once more.
 */
export const publications = {
  name: "039-publications",
  statements: [
    `CREATE TABLE publications (
      id TEXT PRIMARY KEY, slot_id TEXT NOT NULL REFERENCES slots (id), adapter TEXT NOT NULL, state TEXT NOT NULL, session TEXT, remote_id TEXT,
      reason TEXT, error TEXT, bytes_sent {int} NOT NULL, bytes_total {int} NOT NULL, attempts {int} NOT NULL, next_attempt_at {int},
      give_up_at {int} NOT NULL, created_at {int} NOT NULL, updated_at {int} NOT NULL) {strict}`,
    "CREATE UNIQUE INDEX publications_of_slot ON publications (slot_id) WHERE state <> 'removed'",
    "CREATE INDEX publications_by_slot ON publications (slot_id, created_at, id)",
    "CREATE INDEX publications_by_time ON publications (created_at, id)",
    `INSERT INTO publications (id, slot_id, adapter, state, bytes_sent, bytes_total, attempts, next_attempt_at, give_up_at, created_at, updated_at)
      SELECT s.id, s.id, 'own', CASE WHEN s.status = 'publishing' THEN 'waiting' ELSE 'published' END,
        CASE WHEN s.status = 'publishing' THEN 0 ELSE b.video_file_size END, b.video_file_size, 0,
        CASE WHEN s.status = 'publishing' THEN b.created_at END, b.created_at, b.created_at, COALESCE(b.published_at, b.created_at)
      FROM slots s JOIN submissions b ON b.slot_id = s.id JOIN playtests p ON p.id = s.playtest_id
      WHERE b.published_at IS NOT NULL
        OR (s.status = 'publishing' AND (p.is_free_public_trial = 0 OR b.admin_approved_at IS NOT NULL))`,
    `UPDATE jobs SET state = 'queued', attempts = 0, failures = 0, lease_until = 0, lease_token = NULL
      WHERE kind = 'publish-video' AND state = 'dead'`,
    ...enumerated("publications", {
      adapter: ["own", "youtube"],
      state: ["waiting", "uploading", "processing", "published", "blocked", "failed", "removed"],
    }),
    ...withKinds.map(([table, column]) => `ALTER TABLE ${table} DROP CONSTRAINT ${table}_${column}_check`),
    ...withKinds.flatMap(([table, column]) => enumerated(table, { [column]: kinds })),
  ],
};
