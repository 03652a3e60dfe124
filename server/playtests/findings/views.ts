import { iso } from "../../lib/time.ts";
import type { CountedFinding } from "./rules.ts";
import type { BuildRow, ShownEvidenceRow } from "./store.ts";

const evidenceView = ({ id, slot_id, at_ms, end_ms, moment_id, quote, text }: ShownEvidenceRow) => ({
  id,
  slotId: slot_id,
  fromMs: at_ms,
  toMs: end_ms,
  momentId: moment_id,
  quote,
  text,
});

export const findingView = ({ row, evidence, reach, rank, against }: CountedFinding, builds: readonly BuildRow[]) => ({
  id: row.id,
  number: row.number,
  gameId: row.game_id,
  title: row.title,
  text: row.body,
  kind: row.kind,
  severity: row.severity,
  tags: JSON.parse(row.tags) as string[],
  status: row.status,
  evidence: evidence.map(evidenceView),
  testers: reach.testers,
  builds: reach.builds.map((build) => ({ ...build, version: builds.find(({ id }) => id === build.id)?.version ?? null })),
  firstSeenMs: reach.firstSeenMs,
  rank,
  against,
  mergedInto: row.merged_into,
  createdAt: iso(row.created_at),
  updatedAt: iso(row.updated_at),
});
