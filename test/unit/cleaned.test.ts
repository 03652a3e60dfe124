import { expect, it } from "vitest";
import { cleaned } from "../../src/contract/signals/cleaned.ts";
import { readCues } from "../../src/contract/text/cues.ts";

/** A cue of so many seconds for each text, one after the other. */
const cues = (seconds: number, ...texts: string[]) =>
  texts.map((text, at) => ({ startMs: at * seconds * 1000, endMs: (at + 1) * seconds * 1000, text }));
const outcome = (given: Parameters<typeof cleaned>[0], loudness: number[] | null = null) => {
  const { kept, removed } = cleaned(given, loudness);
  return [kept.map(({ text }) => text), removed.map(({ text, reason }) => `${text}: ${reason}`)];
};

it.each<[what: string, ...Parameters<typeof outcome>, kept: string[], removed: string[]]>([
  ["nothing of what may be said", cues(2, "Oh.", "Oh.", "Oh.", "Well."), null, ["Oh.", "Oh.", "Oh.", "Well."], []],
  [
    "a loop, in any case",
    cues(2, "Hello.", "Thank you.", "thank you.", "Thank you. ", "Thank you.", "Bye."),
    null,
    ["Hello.", "Bye."],
    ["Thank you.: loop", "thank you.: loop", "Thank you. : loop", "Thank you.: loop"],
  ],
  [
    "what is too fast to be said",
    cues(1, "x".repeat(40), "y".repeat(41)),
    null,
    ["x".repeat(40)],
    [`${"y".repeat(41)}: too_fast`],
  ],
  [
    "what stands over silence",
    cues(2, "One.", "Two.", "Three."),
    [-20, -80, -60, -90, -61],
    ["One."],
    ["Two.: silence", "Three.: silence"],
  ],
  ["nothing behind what was measured", cues(2, "One.", "Two."), [-20, -20], ["One.", "Two."], []],
])("leaves out %s, and keeps it", (_, given, loudness, kept, removed) => {
  expect(outcome(given, loudness)).toEqual([kept, removed]);
});

it("loses no cue", () => {
  const all = readCues(
    `WEBVTT\n\n${Array.from({ length: 9 }, (_, i) => `00:00:0${i}.000 --> 00:00:0${i}.500\n${i % 2 ? "a" : "b".repeat(i * 20 + 1)}\n`).join("\n")}`,
  );
  const { kept, removed } = cleaned(all, [-90, -20, -90]);
  expect([...kept, ...removed.map(({ reason: _, ...cue }) => cue)].sort((a, b) => a.startMs - b.startMs)).toEqual(all);
});
