import { canDiffer, exactP, holm, type Share } from "../../../src/contract/findings/exact.ts";
import { type Reach, type Recording, rankOf, reachOf } from "../../../src/contract/findings/reach.ts";
import type { BuildChange } from "../../../src/contract/findings/statuses.ts";
import type { BuildRow, FindingRow, RecordingRow, ShownEvidenceRow } from "./store.ts";

/** What is known of a game whose findings are counted. */
export interface Counted {
  /** The newest first. */
  builds: readonly BuildRow[];
  recordings: readonly RecordingRow[];
}

/** Which findings to list, and in which videos they are counted. */
export interface Filter {
  number?: number | undefined;
  kind?: string | undefined;
  severity?: number | undefined;
  status?: string | undefined;
  tag?: string | undefined;
  build?: string | undefined;
  against?: string | undefined;
  playtest?: string | undefined;
  text?: string | undefined;
}

/** A finding with its evidence and how many met it. */
export interface CountedFinding {
  id: string;
  row: FindingRow;
  evidence: readonly ShownEvidenceRow[];
  reach: Reach;
  rank: number;
  against: Comparison | null;
}

/** How many met it in another build, and whether that differs. */
export interface Comparison extends Share {
  change: BuildChange;
  /** Null where so few playtesters can show no difference. */
  p: number | null;
}

/** The videos that count, of one build or playtest if it is given. Whoever began before the first build played none that is known. */
export function recordingsIn({ builds, recordings }: Counted, { build, playtest }: Filter = {}): Recording[] {
  return recordings
    .filter(({ playtest_id }) => playtest === undefined || playtest_id === playtest)
    .map(({ slot_id, playtester_id, began_at, length_ms }) => ({
      slotId: slot_id,
      tester: playtester_id ?? slot_id,
      buildId: builds.find(({ created_at }) => created_at <= began_at)?.id ?? null,
      lengthMs: length_ms,
    }))
    .filter(({ buildId }) => build === undefined || buildId === build);
}

export function countedFinding(
  row: FindingRow,
  evidence: readonly ShownEvidenceRow[],
  recordings: readonly Recording[],
  builds: readonly BuildRow[],
): CountedFinding {
  const sightings = evidence.map(({ slot_id, at_ms }) => ({ slotId: slot_id, fromMs: at_ms }));
  const reach = reachOf(
    sightings,
    recordings,
    builds.map(({ id }) => id),
  );
  return { id: row.id, row, evidence, reach, rank: rankOf(row.severity, reach.testers), against: null };
}

const passes = (row: FindingRow, { number, kind, severity, status, tag, text }: Filter) =>
  (number === undefined || row.number === number) &&
  (kind === undefined || row.kind === kind) &&
  (severity === undefined || row.severity === severity) &&
  (status === undefined || row.status === status) &&
  (tag === undefined || (JSON.parse(row.tags) as string[]).includes(tag)) &&
  (text === undefined || `${row.title}\n${row.body}`.toLowerCase().includes(text.toLowerCase()));

const changeOf = (now: number, before: number): BuildChange => (now === 0 ? "gone" : before === 0 ? "appeared" : "still");

/** Compares findings with another build: those that were met in either. */
function compared(findings: readonly CountedFinding[], other: readonly Recording[]): CountedFinding[] {
  const both = findings
    .map((finding) => {
      const sightings = finding.evidence.map(({ slot_id, at_ms }) => ({ slotId: slot_id, fromMs: at_ms }));
      const { seen, of } = reachOf(sightings, other).testers;
      return { finding, before: { seen, of } };
    })
    .filter(({ finding, before }) => finding.reach.testers.seen > 0 || before.seen > 0);
  const ps = holm(both.map(({ finding, before }) => exactP(finding.reach.testers, before)));
  return both.map(({ finding, before }, index) => {
    const { seen, of } = finding.reach.testers;
    const p = canDiffer(of, before.of) ? Math.round(ps[index]! * 10_000) / 10_000 : null;
    return { ...finding, against: { ...before, change: changeOf(seen, before.seen), p } };
  });
}

/** The findings that a filter lets through, the highest rank first, then in the order of their numbers. */
export function ranked(
  rows: readonly FindingRow[],
  evidence: readonly ShownEvidenceRow[],
  counted: Counted,
  filter: Filter,
): CountedFinding[] {
  const recordings = recordingsIn(counted, filter);
  const byFinding = new Map<string, ShownEvidenceRow[]>(rows.map(({ id }) => [id, []]));
  for (const one of evidence) byFinding.get(one.finding_id)?.push(one);
  const narrowed = filter.build !== undefined || filter.playtest !== undefined;
  const all = rows
    .filter((row) => passes(row, filter))
    .map((row) => countedFinding(row, byFinding.get(row.id) ?? [], recordings, counted.builds));
  const { against, playtest } = filter;
  const listed =
    against === undefined
      ? all.filter(({ reach }) => !narrowed || reach.testers.seen > 0)
      : compared(all, recordingsIn(counted, { build: against, playtest }));
  return listed.sort((a, b) => b.rank - a.rank || a.row.number - b.row.number);
}
