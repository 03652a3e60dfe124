import { describe, expect, it } from "vitest";
import * as shares from "../../server/sharing/shares/rules.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

describe("a share", () => {
  it("lasts, and counts, as long as this", () => {
    expect([shares.expiredShareMs, shares.unlockedMs, shares.sameViewMs]).toEqual([30 * day, 12 * hour, hour]);
    expect(shares.shareable).toEqual(["submitted", "publishing", "accepted"]);
  });

  it.each([
    [999, false],
    [1000, true],
    [2000, true],
    [2001, false],
  ])("of a part has the position %i: %s", (atMs, within) => {
    expect(shares.isWithin({ at_ms: 1000, end_ms: 2000 }, atMs)).toBe(within);
  });

  it("of a part has what is heard in it, from its beginning", () => {
    const cue = (startMs: number, endMs: number) => ({ startMs, endMs, text: `${startMs}` });
    const cues = [cue(0, 1000), cue(500, 1001), cue(1200, 1300), cue(1999, 2500), cue(2000, 2600)];
    expect(shares.cuesWithin(cues, { at_ms: 1000, end_ms: 2000 })).toEqual([
      { startMs: 0, endMs: 1, text: "500" },
      { startMs: 200, endMs: 300, text: "1200" },
      { startMs: 999, endMs: 1000, text: "1999" },
    ]);
    expect(shares.cuesWithin(cues, undefined)).toEqual(cues);
  });
});
