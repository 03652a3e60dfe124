import { enumerated, eventKinds } from "./002-enumerations.ts";

const kinds = [...eventKinds, "slot.blocked", "slot.resolved"];
const withKinds = [
  ["events", "kind"],
  ["notifications", "type"],
  ["webhook_deliveries", "event"],
] as const;

/**
 * How a reported problem ends. A job announces those that nobody was told about, and starts their limit: the time of the upgrade is not
 * known here.
 */
export const problemReports = {
  name: "008-problem-reports",
  statements: [
    "ALTER TABLE blocked_reports ADD COLUMN answer_by {int}",
    "ALTER TABLE blocked_reports ADD COLUMN outcome TEXT",
    "ALTER TABLE blocked_reports ADD COLUMN message TEXT",
    ...enumerated("blocked_reports", { outcome: ["unblocked", "cancelled", "released", "expired"] }),
    ...withKinds.map(([table, column]) => `ALTER TABLE ${table} DROP CONSTRAINT ${table}_${column}_check`),
    ...withKinds.flatMap(([table, column]) => enumerated(table, { [column]: kinds })),
    `INSERT INTO jobs (id, kind, unique_key, payload, run_at, attempts, state, lease_until, created_at)
      SELECT id, 'resolve-problem', 'resolve-problem:' || id, '{"reportId":"' || id || '"}', reported_at, 0, 'queued', 0, reported_at
      FROM blocked_reports WHERE resolved_at IS NULL`,
  ],
};
