import { iso, isoOrNull } from "../../lib/time.ts";
import { playtesterView } from "../views.ts";
import type { IssueRow } from "./issues-store.ts";
import type { CountedFinding } from "./rules.ts";
import type { BuildRow, ShownEvidenceRow } from "./store.ts";

const evidenceView = (row: ShownEvidenceRow) => {
  const { id, slot_id, at_ms, end_ms, moment_id, quote, text } = row;
  return { id, slotId: slot_id, playtester: playtesterView(row), fromMs: at_ms, toMs: end_ms, momentId: moment_id, quote, text };
};

const issueView = (row: IssueRow) => ({
  tracker: row.tracker,
  target: row.target,
  key: row.remote_key,
  url: row.url,
  state: row.state,
  error: row.error,
  nextTryAt: isoOrNull(row.next_attempt_at),
  checkedAt: isoOrNull(row.checked_at),
});

export const findingView = (
  { row, evidence, reach, rank, absence, against }: CountedFinding,
  builds: readonly BuildRow[],
  issue: IssueRow | undefined,
) => ({
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
  absence,
  issue: issue ? issueView(issue) : null,
  mergedInto: row.merged_into,
  createdAt: iso(row.created_at),
  updatedAt: iso(row.updated_at),
});
