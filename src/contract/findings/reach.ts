/** How many playtesters met a finding, and when. Pure, so that every place that counts counts the same. */

/** A video that counts. */
export interface Recording {
  slotId: string;
  /** Who played: the playtester of several videos counts once. */
  tester: string;
  /** The build that was played, if it is known. */
  buildId: string | null;
  /** Length of the video in ms, if it is known. */
  lengthMs: number | null;
}

/** A place in a video where a finding is seen, in ms. */
export interface Sighting {
  slotId: string;
  fromMs: number;
}

export interface BuildReach {
  id: string;
  seen: number;
  of: number;
}

export interface Reach {
  /** Playtesters who met it; all; and all who either met it or played until the second at which half of those had met it. */
  testers: { seen: number; of: number; reached: number };
  /** The same of each build in which it was met. */
  builds: BuildReach[];
  /** The median of where each playtester first met it, in ms; null if nobody did. */
  firstSeenMs: number | null;
}

/** The videos that count, prepared once for many findings: each of them then costs as much as its sightings. */
export interface Cohort {
  bySlot: ReadonlyMap<string, Recording>;
  /** Length of the longest video of each playtester, in ms: infinite if one is not known. */
  longest: ReadonlyMap<string, number>;
  /** The same lengths, the shortest first. */
  lengths: Float64Array;
  /** The place of each build in the order given, and how many played it. */
  builds: ReadonlyMap<string, { place: number; of: number }>;
}

/** The lower of the two in the middle, so that it is a position at which somebody really met it. */
const medianOf = (numbers: readonly number[]): number | null =>
  numbers.toSorted((a, b) => a - b)[Math.ceil(numbers.length / 2) - 1] ?? null;

/** A value of each playtester: what `pick` makes of those of all their videos, such as the highest. */
export function byTester(
  recordings: Iterable<Recording>,
  measure: (recording: Recording) => number,
  pick: (a: number, b: number) => number,
): Map<string, number> {
  const values = new Map<string, number>();
  for (const one of recordings) {
    const value = measure(one);
    values.set(one.tester, pick(values.get(one.tester) ?? value, value));
  }
  return values;
}

export const sorted = (values: Iterable<number>) => Float64Array.from(values).sort();

/** How many of sorted numbers come before the first that does not pass. */
export function countWhile(numbers: Float64Array, passes: (value: number) => boolean): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (passes(numbers[middle]!)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Prepares videos. The builds of a reach come in the order of `builds`. */
export function cohortOf(recordings: readonly Recording[], builds: readonly string[] = []): Cohort {
  const longest = byTester(recordings, ({ lengthMs }) => lengthMs ?? Number.POSITIVE_INFINITY, Math.max);
  const testersOf = new Map(builds.map((id) => [id, new Set<string>()]));
  for (const { buildId, tester } of recordings) if (buildId !== null) testersOf.get(buildId)?.add(tester);
  return {
    bySlot: new Map(recordings.map((one) => [one.slotId, one])),
    longest,
    lengths: sorted(longest.values()),
    builds: new Map([...testersOf].map(([id, { size }], place) => [id, { place, of: size }])),
  };
}

/** The playtesters who met it in each build, if it is known, in the order of the builds. */
function buildsOf(met: readonly Recording[], builds: Cohort["builds"]): BuildReach[] {
  const seenBy = new Map<string, Set<string>>();
  for (const { buildId, tester } of met)
    if (buildId !== null && builds.has(buildId)) seenBy.set(buildId, (seenBy.get(buildId) ?? new Set()).add(tester));
  return [...seenBy]
    .map(([id, { size }]) => ({ id, seen: size, ...builds.get(id)! }))
    .sort((a, b) => a.place - b.place)
    .map(({ id, seen, of }) => ({ id, seen, of }));
}

/** The reach of a finding among these videos. What is seen in others is left out. */
export function reachOf(sightings: readonly Sighting[], { bySlot, longest, lengths, builds }: Cohort): Reach {
  const first = new Map<string, number>();
  const met: Recording[] = [];
  for (const { slotId, fromMs } of sightings) {
    const recording = bySlot.get(slotId);
    if (!recording) continue;
    met.push(recording);
    first.set(recording.tester, Math.min(first.get(recording.tester) ?? fromMs, fromMs));
  }
  const firstSeenMs = medianOf([...first.values()]);
  const isShort = (lengthMs: number) => lengthMs < (firstSeenMs ?? 0);
  const metBefore = [...first.keys()].filter((tester) => isShort(longest.get(tester)!)).length;
  const reached = lengths.length - countWhile(lengths, isShort) + metBefore;
  return { testers: { seen: first.size, of: lengths.length, reached }, builds: buildsOf(met, builds), firstSeenMs };
}

/** How much a finding matters: its severity, 1 without one, times the share of the playtesters who met it. From 0 to 4. */
export function rankOf(severity: number | null, { seen, of }: Pick<Reach["testers"], "seen" | "of">): number {
  return of === 0 ? 0 : Math.round(((severity ?? 1) * seen * 1000) / of) / 1000;
}
