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

/** The lower of the two in the middle, so that it is a position at which somebody really met it. */
const medianOf = (numbers: readonly number[]): number | null =>
  numbers.toSorted((a, b) => a - b)[Math.ceil(numbers.length / 2) - 1] ?? null;

/** Where each playtester first met it, by playtester. What is seen in videos that do not count is left out. */
function firstSights(sightings: readonly Sighting[], testers: ReadonlyMap<string, string>): Map<string, number> {
  const first = new Map<string, number>();
  for (const { slotId, fromMs } of sightings) {
    const tester = testers.get(slotId);
    if (tester !== undefined) first.set(tester, Math.min(first.get(tester) ?? fromMs, fromMs));
  }
  return first;
}

const distinct = (recordings: readonly Recording[]) => new Set(recordings.map(({ tester }) => tester));

function reachIn(build: string, seenIn: ReadonlySet<string>, recordings: readonly Recording[]): BuildReach {
  const own = recordings.filter(({ buildId }) => buildId === build);
  return { id: build, seen: distinct(own.filter(({ slotId }) => seenIn.has(slotId))).size, of: distinct(own).size };
}

/** The reach of a finding among these videos. The builds come in the order of `builds`. */
export function reachOf(sightings: readonly Sighting[], recordings: readonly Recording[], builds: readonly string[] = []): Reach {
  const first = firstSights(sightings, new Map(recordings.map(({ slotId, tester }) => [slotId, tester])));
  const firstSeenMs = medianOf([...first.values()]);
  const gotThere = ({ tester, lengthMs }: Recording) => first.has(tester) || lengthMs === null || lengthMs >= (firstSeenMs ?? 0);
  const seenIn = new Set(sightings.map(({ slotId }) => slotId));
  const metIn = new Set(recordings.filter(({ slotId }) => seenIn.has(slotId)).map(({ buildId }) => buildId));
  return {
    testers: { seen: first.size, of: distinct(recordings).size, reached: distinct(recordings.filter(gotThere)).size },
    builds: builds.filter((build) => metIn.has(build)).map((build) => reachIn(build, seenIn, recordings)),
    firstSeenMs,
  };
}

/** How much a finding matters: its severity, 1 without one, times the share of the playtesters who met it. From 0 to 4. */
export function rankOf(severity: number | null, { seen, of }: Pick<Reach["testers"], "seen" | "of">): number {
  return of === 0 ? 0 : Math.round(((severity ?? 1) * seen * 1000) / of) / 1000;
}
