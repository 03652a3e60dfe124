import { describe, expect, it } from "vitest";
import { wrapped } from "../../server/sharing/reels/drawing.ts";
import { inTurns, partsFor } from "../../src/contract/sharing/reel-parts.ts";

const place = (slotId: string, second: number, toSecond: number | null = null) => ({
  slotId,
  fromMs: second * 1000,
  toMs: toSecond === null ? null : toSecond * 1000,
  title: "",
});
const shown = (parts: ReturnType<typeof partsFor>) =>
  parts.map(({ slotId, atMs, endMs }) => `${slotId} ${atMs / 1000}-${endMs / 1000}`);

describe("parts of a reel", () => {
  it.each([
    ["have some seconds around each place", [place("a", 100), place("a", 1)], 600, ["a 96-108", "a 0-9"]],
    ["are a minute long at most", [place("a", 100, 900)], 600, ["a 96-156"]],
    ["show no second twice", [place("a", 100), place("a", 105), place("b", 100)], 600, ["a 96-108", "b 96-108"]],
    ["leave out what does not fit", [place("a", 100), place("b", 100, 140), place("c", 100)], 30, ["a 96-108", "c 96-108"]],
    ["are none where nothing fits", [place("a", 100)], 5, []],
  ])("%s", (_, places, seconds, expected) => expect(shown(partsFor(places, seconds * 1000, 60))).toEqual(expected));

  it("are as few as may be", () => expect(partsFor([place("a", 1), place("b", 1)], 60_000, 1)).toHaveLength(1));

  it("take turns between videos", () =>
    expect(inTurns(["a1", "a2", "a3", "b1", "c1", "c2"].map((id) => ({ slotId: id[0]!, id }))).map(({ id }) => id)).toEqual([
      ...["a1", "b1", "c1", "a2", "c2", "a3"],
    ]));
});

describe("lines of a card", () => {
  it.each([
    ["nobody finds the lantern", ["nobody", "finds the", "lantern"]],
    ["unbelievably long", ["unbelievab", "ly long"]],
    ["洞窟の中でランタン", ["洞窟の中で", "ランタン"]],
    ["a\u0000b\nc\u202ed", ["a b c d"]],
    ["one two three four five six seven", ["one two", "three four", "five six…"]],
    [" ", []],
  ])("%j", (text, expected) => expect(wrapped(text, 10, 3)).toEqual(expected));
});
