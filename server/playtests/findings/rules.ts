import { canDiffer, exactP, holm, type Share, significance } from "../../../src/contract/findings/exact.ts";
import {
  byTester,
  type Cohort,
  cohortOf,
  countWhile,
  type Reach,
  type Recording,
  rankOf,
  reachOf,
  type Sighting,
  sorted,
} from "../../../src/contract/findings/reach.ts";
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
  absence: Absence | null;
  against: Comparison | null;
}

/** How many played builds that came after it was closed, none of whom met it, and the probability of that by chance. */
export interface Absence {
  of: number;
  p: number;
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
    .map(({ slot_id, playtester_id, build_time, length_ms }) => ({
      slotId: slot_id,
      tester: playtester_id ?? slot_id,
      buildId: builds.find(({ created_at }) => created_at <= build_time)?.id ?? null,
      lengthMs: length_ms,
    }))
    .filter(({ buildId }) => build === undefined || buildId === build);
}

const sightingsOf = (evidence: readonly ShownEvidenceRow[]): Sighting[] =>
  evidence.map(({ slot_id, at_ms }) => ({ slotId: slot_id, fromMs: at_ms }));

/** The videos of a game that count, prepared once for all its findings. */
export interface Known extends Cohort {
  /** When each build came (ms). */
  builtAt: ReadonlyMap<string | null, number>;
  /** When the oldest and the newest build of each playtester came (ms), sorted; infinitely early for a build that is not known. */
  oldest: Float64Array;
  newest: Float64Array;
}

const builtBefore = Number.NEGATIVE_INFINITY;

/** The videos that a filter lets through. */
export function knownOf(counted: Counted, filter: Filter = {}): Known {
  const recordings = recordingsIn(counted, filter);
  const cohort = cohortOf(
    recordings,
    counted.builds.map(({ id }) => id),
  );
  const builtAt = new Map<string | null, number>(counted.builds.map(({ id, created_at }) => [id, created_at]));
  const time = ({ buildId }: Recording) => builtAt.get(buildId) ?? builtBefore;
  const times = (pick: typeof Math.min) => sorted(byTester(recordings, time, pick).values());
  return { ...cohort, builtAt, oldest: times(Math.min), newest: times(Math.max) };
}

/** What the builds that came after a finding was closed say of it, and those before. Null while it is not closed, and for what stays. */
function sinceClosed(
  { status, closed_at }: Pick<FindingRow, "status" | "closed_at">,
  evidence: readonly ShownEvidenceRow[],
  { bySlot, builtAt, oldest, newest }: Known,
): { before: Share; after: Share } | null {
  if (closed_at === null || (status !== "fixed" && status !== "verified")) return null;
  const isEarlier = (time: number) => time <= closed_at;
  const [before, after] = [new Set<string>(), new Set<string>()];
  for (const { slot_id } of evidence) {
    const recording = bySlot.get(slot_id);
    if (recording) (isEarlier(builtAt.get(recording.buildId) ?? builtBefore) ? before : after).add(recording.tester);
  }
  return {
    before: { seen: before.size, of: countWhile(oldest, isEarlier) },
    after: { seen: after.size, of: newest.length - countWhile(newest, isEarlier) },
  };
}

const rounded = (p: number) => Math.round(p * 10_000) / 10_000;

function absenceOf(...known: Parameters<typeof sinceClosed>): Absence | null {
  const since = sinceClosed(...known);
  if (!since || since.after.of === 0 || since.after.seen > 0) return null;
  return { of: since.after.of, p: rounded(exactP(since.after, since.before)) };
}

/** What newer builds make of a closed finding: it was met again, or so many missed it that it is gone. Undefined if they say neither. */
export function verdictOf(...known: Parameters<typeof sinceClosed>): "again" | "verified" | undefined {
  const since = sinceClosed(...known);
  if (!since || since.after.of === 0) return undefined;
  if (since.after.seen > 0) return "again";
  return known[0].status === "fixed" && exactP(since.after, since.before) <= significance ? "verified" : undefined;
}

/** `all` are the videos that count, also where only some of them are looked at. */
export function countedFinding(
  row: FindingRow,
  evidence: readonly ShownEvidenceRow[],
  known: Known,
  all: Known = known,
): CountedFinding {
  const reach = reachOf(sightingsOf(evidence), known);
  const absence = absenceOf(row, evidence, all);
  return { id: row.id, row, evidence, reach, rank: rankOf(row.severity, reach.testers), absence, against: null };
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
function compared(findings: readonly CountedFinding[], other: Known): CountedFinding[] {
  const both = findings
    .map((finding) => {
      const { seen, of } = reachOf(sightingsOf(finding.evidence), other).testers;
      return { finding, before: { seen, of } };
    })
    .filter(({ finding, before }) => finding.reach.testers.seen > 0 || before.seen > 0);
  const ps = holm(both.map(({ finding, before }) => exactP(finding.reach.testers, before)));
  return both.map(({ finding, before }, index) => {
    const { seen, of } = finding.reach.testers;
    const p = canDiffer(of, before.of) ? rounded(ps[index]!) : null;
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
  const byFinding = new Map<string, ShownEvidenceRow[]>(rows.map(({ id }) => [id, []]));
  for (const one of evidence) byFinding.get(one.finding_id)?.push(one);
  const narrowed = filter.build !== undefined || filter.playtest !== undefined;
  const every = knownOf(counted);
  const known = narrowed ? knownOf(counted, filter) : every;
  const all = rows
    .filter((row) => passes(row, filter))
    .map((row) => countedFinding(row, byFinding.get(row.id) ?? [], known, every));
  const { against, playtest } = filter;
  const listed =
    against === undefined
      ? all.filter(({ reach }) => !narrowed || reach.testers.seen > 0)
      : compared(all, knownOf(counted, { build: against, playtest }));
  return listed.sort((a, b) => b.rank - a.rank || a.row.number - b.row.number);
}
