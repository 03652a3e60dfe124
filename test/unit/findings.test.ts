import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ranked, recordingsIn } from "../../server/playtests/findings/rules.ts";
import type { FindingRow, ShownEvidenceRow } from "../../server/playtests/findings/store.ts";
import { exactP } from "../../src/contract/findings/exact.ts";
import { isSaid } from "../../src/contract/findings/quotes.ts";
import { cohortOf, type Reach, type Recording, rankOf, reachOf, type Sighting } from "../../src/contract/findings/reach.ts";

const recording = (slotId: string, tester = slotId, more: Partial<Recording> = {}): Recording => ({
  slotId,
  tester,
  buildId: null,
  lengthMs: null,
  ...more,
});
const at = (slotId: string, fromMs: number) => ({ slotId, fromMs });

describe("the reach of a finding", () => {
  it.each([
    ["nobody", [], [recording("a")], { seen: 0, of: 1, reached: 1 }, null],
    ["one of two", [at("a", 5)], [recording("a"), recording("b")], { seen: 1, of: 2, reached: 2 }, 5],
    ["a video that does not count", [at("x", 5)], [recording("a")], { seen: 0, of: 1, reached: 1 }, null],
    ["twice in one video", [at("a", 9), at("a", 5)], [recording("a")], { seen: 1, of: 1, reached: 1 }, 5],
    [
      "one playtester in two videos",
      [at("a", 9), at("b", 5)],
      [recording("a", "p"), recording("b", "p")],
      { seen: 1, of: 1, reached: 1 },
      5,
    ],
    [
      "who stopped before it was met is not among those who got that far",
      [at("a", 50), at("b", 60)],
      [recording("a"), recording("b"), recording("c", "c", { lengthMs: 49 }), recording("d", "d", { lengthMs: 50 })],
      { seen: 2, of: 4, reached: 3 },
      50,
    ],
  ] as const)("%s", (_, sightings, recordings, testers, firstSeenMs) => {
    expect(reachOf(sightings, cohortOf(recordings))).toEqual({ testers, firstSeenMs, builds: [] });
  });

  it("is counted in each build in which it was met, in the order given", () => {
    const recordings = [
      recording("a", "p", { buildId: "1" }),
      recording("b", "p", { buildId: "2" }),
      recording("c", "q", { buildId: "2" }),
      recording("d", "r", { buildId: "3" }),
    ];
    expect(reachOf([at("a", 1), at("b", 1)], cohortOf(recordings, ["3", "2", "1"])).builds).toEqual([
      { id: "2", seen: 1, of: 2 },
      { id: "1", seen: 1, of: 1 },
    ]);
  });

  it("never has more who met it than who got that far, nor more of those than there are", () => {
    const slots = ["a", "b", "c", "d", "e"];
    const sightings = fc.array(fc.record({ slotId: fc.constantFrom(...slots), fromMs: fc.nat(100) }));
    const recordings = fc.uniqueArray(
      fc.record({
        slotId: fc.constantFrom(...slots),
        tester: fc.constantFrom("p", "q", "r"),
        buildId: fc.constant(null),
        lengthMs: fc.option(fc.nat(100)),
      }),
      { selector: ({ slotId }) => slotId },
    );
    fc.assert(
      fc.property(sightings, recordings, (seenAt, videos) => {
        const { testers } = reachOf(seenAt, cohortOf(videos));
        expect(testers.seen <= testers.reached && testers.reached <= testers.of).toBe(true);
      }),
    );
  });
});

/** A reach, counted from all videos anew. */
function plainReach(sightings: readonly Sighting[], recordings: readonly Recording[], builds: readonly string[]): Reach {
  const testers = (passes: (one: Recording) => boolean) => new Set(recordings.filter(passes).map(({ tester }) => tester));
  const isSeen = ({ slotId }: Recording) => sightings.some((one) => one.slotId === slotId);
  const met = testers(isSeen);
  const firsts = [...met].map((tester) => {
    const slots = recordings.filter((one) => one.tester === tester).map(({ slotId }) => slotId);
    return Math.min(...sightings.filter(({ slotId }) => slots.includes(slotId)).map(({ fromMs }) => fromMs));
  });
  const firstSeenMs = firsts.sort((a, b) => a - b)[Math.ceil(met.size / 2) - 1] ?? null;
  const gotThere = ({ tester, lengthMs }: Recording) => met.has(tester) || lengthMs === null || lengthMs >= (firstSeenMs ?? 0);
  const inBuild = (id: string) => ({
    id,
    seen: testers((one) => one.buildId === id && isSeen(one)).size,
    of: testers(({ buildId }) => buildId === id).size,
  });
  return {
    testers: { seen: met.size, of: testers(() => true).size, reached: testers(gotThere).size },
    builds: builds.map(inBuild).filter(({ seen }) => seen > 0),
    firstSeenMs,
  };
}

describe("many findings", () => {
  const slots = Array.from({ length: 12 }, (_, n) => `slot ${n}`);
  /** The newest first. Two came at once. */
  const builds = [40, 30, 30, 10].map((created_at, n) => ({ id: `build ${n}`, version: null, created_at }));
  const ids = builds.map(({ id }) => id);
  const rows = fc.uniqueArray(
    fc.record({
      slot_id: fc.constantFrom(...slots),
      playtest_id: fc.constantFrom("x", "y"),
      playtester_id: fc.option(fc.constantFrom("p", "q", "r", "s")),
      build_time: fc.nat(50),
      length_ms: fc.option(fc.nat(60)),
    }),
    { selector: ({ slot_id }) => slot_id },
  );
  const sighting = fc.record({ slot_id: fc.constantFrom(...slots, "elsewhere"), at_ms: fc.nat(60) });
  const finding = fc.record({
    status: fc.constantFrom("open", "fixed", "verified", "wontfix"),
    closed_at: fc.option(fc.nat(50)),
    evidence: fc.array(sighting, { maxLength: 8 }),
  });
  const filter = fc.record({
    build: fc.option(fc.constantFrom(...ids), { nil: undefined }),
    playtest: fc.option(fc.constantFrom("x", "y"), { nil: undefined }),
  });

  /** What newer builds say of a finding: each side counted by itself. */
  function plainAbsence({ status, closed_at }: FindingRow, sightings: readonly Sighting[], recordings: readonly Recording[]) {
    if (closed_at === null || (status !== "fixed" && status !== "verified")) return null;
    const isLater = ({ buildId }: Recording) => (builds.find(({ id }) => id === buildId)?.created_at ?? 0) > closed_at;
    const side = (later: boolean) =>
      plainReach(
        sightings,
        recordings.filter((one) => isLater(one) === later),
        [],
      ).testers;
    const [before, after] = [side(false), side(true)];
    if (after.of === 0 || after.seen > 0) return null;
    return { of: after.of, p: Math.round(exactP(after, before) * 10_000) / 10_000 };
  }

  it("are counted at once as each is by itself", () => {
    fc.assert(
      fc.property(rows, fc.array(finding, { maxLength: 5 }), filter, (recordings, given, chosen) => {
        const found = given.map((one, n) => ({ ...one, id: `${n}`, number: n, severity: null }) as unknown as FindingRow);
        const evidence = given.flatMap((one, n) =>
          one.evidence.map((place) => ({ ...place, finding_id: `${n}` }) as ShownEvidenceRow),
        );
        const counted = { builds, recordings };
        for (const { id, row, reach, absence } of ranked(found, evidence, counted, chosen)) {
          const own = evidence.filter(({ finding_id }) => finding_id === id);
          const sightings = own.map(({ slot_id, at_ms }) => at(slot_id, at_ms));
          expect(reach).toEqual(plainReach(sightings, recordingsIn(counted, chosen), ids));
          expect(absence).toEqual(plainAbsence(row, sightings, recordingsIn(counted)));
        }
      }),
      { numRuns: 500 },
    );
  });
});

it.each([
  [4, { seen: 1, of: 1 }, 4],
  [null, { seen: 1, of: 2 }, 0.5],
  [3, { seen: 1, of: 3 }, 1],
  [4, { seen: 2, of: 3 }, 2.667],
  [4, { seen: 0, of: 0 }, 0],
])("severity %s met by %o ranks %f", (severity, testers, rank) => expect(rankOf(severity, testers)).toBe(rank));

describe("a quote", () => {
  const cue = (startMs: number, endMs: number, text: string) => ({ startMs, endMs, text });
  const cues = [cue(0, 10, "One “two”"), cue(20, 30, "it’s three"), cue(40, 50, "FOUR"), cue(60, 70, "five")];
  it.each([
    ['one "two"', 5, 5, true],
    ["it's three four", 25, 25, true],
    ["two\" it's", 15, 15, true],
    ["four", 5, 5, false],
    ["five", 25, 25, false],
    ["five", 25, 45, true],
    ["five", 1000, 1000, true],
    ["four", 1000, 1000, false],
    ["one three", 5, 45, false],
  ])("%j from %i to %i ms: %s", (quote, from, to, said) => expect(isSaid(quote, cues, from, to)).toBe(said));

  it("is not said in an empty transcript", () => expect(isSaid("x", [], 0, 0)).toBe(false));
});
