import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isSaid } from "../../src/contract/findings/quotes.ts";
import { type Recording, rankOf, reachOf } from "../../src/contract/findings/reach.ts";

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
    expect(reachOf(sightings, recordings)).toEqual({ testers, firstSeenMs, builds: [] });
  });

  it("is counted in each build in which it was met, in the order given", () => {
    const recordings = [
      recording("a", "p", { buildId: "1" }),
      recording("b", "p", { buildId: "2" }),
      recording("c", "q", { buildId: "2" }),
      recording("d", "r", { buildId: "3" }),
    ];
    expect(reachOf([at("a", 1), at("b", 1)], recordings, ["3", "2", "1"]).builds).toEqual([
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
        const { testers } = reachOf(seenAt, videos);
        expect(testers.seen <= testers.reached && testers.reached <= testers.of).toBe(true);
      }),
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
