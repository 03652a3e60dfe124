import { describe, expect, it } from "vitest";
import { factsOf, readPrinted, type Signals, speechOf, usableOf } from "../../server/sharing/signals/rules.ts";

/** Series of runs: `[60, -20]` is 60 seconds of -20. */
const series = (...runs: [seconds: number, value: number][]) =>
  runs.flatMap(([seconds, value]) => new Array(seconds).fill(value) as number[]);
const good = (seconds: number): Signals => ({
  loudness: series([seconds, -20]),
  motion: series([seconds, 5]),
  luma: series([seconds, 120]),
});

const facts = (changes: Partial<Signals>, seconds = 300, booked = 5) =>
  factsOf({ ...good(seconds), ...changes }, seconds * 1000, booked).map(
    ({ kind, fromMs, toMs, text }) => `${kind} ${fromMs / 1000}-${toMs / 1000}: ${text}`,
  );

describe("what looks wrong in a recording", () => {
  it.each([
    ["nothing", {}, []],
    [
      "silence of a minute",
      { loudness: series([100, -20], [60, -120], [140, -20]) },
      ["silence 100-160: No sound from 1:40 to 2:40."],
    ],
    ["silence of less", { loudness: series([100, -20], [59, -120], [141, -20]) }, []],
    ["hiss", { loudness: series([300, -60]) }, ["no_sound 0-300: The recording has no sound."]],
    ["a whisper", { loudness: series([300, -59.9]) }, []],
    ["no track of sound", { loudness: null }, ["no_sound 0-300: The recording has no sound."]],
    [
      "a black picture to the end, which is not said to be frozen, too",
      { luma: series([200, 120], [100, 16]), motion: series([200, 5], [100, 0]) },
      ["black 200-300: The picture is black from 3:20 to 5:00."],
    ],
    ["black for a moment", { luma: series([200, 120], [4, 16], [96, 120]) }, []],
    ["all black", { luma: series([300, 20]), motion: series([300, 0]) }, ["no_picture 0-300: The recording has no picture."]],
    ["no track of pictures", { luma: null, motion: null }, ["no_picture 0-300: The recording has no picture."]],
    [
      "a frozen picture",
      { motion: series([60, 5], [180, 0.1], [60, 5]) },
      ["frozen 60-240: The picture is frozen from 1:00 to 4:00, for 3 minutes."],
    ],
    [
      "a frozen picture with key frames, each of which is coded anew",
      { motion: series([60, 5], [60, 0], [1, 0.4], [59, 0], [1, 0.4], [59, 0], [60, 5]) },
      ["frozen 60-240: The picture is frozen from 1:00 to 4:00, for 3 minutes."],
    ],
    ["small changes in every other second", { motion: series([2, 0.4], [58, 0], [2, 0.4], [59, 0], [179, 0.4]) }, []],
    ["one that is frozen for less", { motion: series([60, 5], [59, 0], [181, 5]) }, []],
  ] as const)("%s", (_, changes, expected) => expect(facts(changes)).toEqual(expected));

  it("is short, and everything else in the order of the video", () => {
    const changes = { loudness: series([30, -20], [70, -120]), luma: series([10, 16], [90, 120]) };
    expect(facts(changes, 100, 30)).toEqual([
      "short 0-100: The recording has 100 s of the 30 minutes booked.",
      "black 0-10: The picture is black from 0:00 to 0:10.",
      "silence 30-100: No sound from 0:30 to 1:40.",
    ]);
  });

  it("is never beyond the end of the video, whose last second is not a whole one", () => {
    expect(factsOf({ ...good(61), loudness: series([1, -20], [60, -120]) }, 60_500, 1)).toMatchObject([
      { fromMs: 1000, toMs: 60_500 },
    ]);
  });
});

describe("the usable share of a recording", () => {
  it.each([
    ["all", {}, { picture: 100, sound: 100 }],
    ["no track", { loudness: null, motion: null, luma: null }, { picture: 0, sound: 0 }],
    ["black, frozen and silent", { loudness: series([300, -120]), luma: series([300, 16]) }, { picture: 0, sound: 0 }],
    [
      "parts, each second once",
      { loudness: series([100, -120], [200, -20]), motion: series([90, 0], [210, 5]), luma: series([30, 16], [270, 120]) },
      { picture: 70, sound: 66 },
    ],
    ["a short silence", { loudness: series([59, -120], [241, -20]) }, { picture: 100, sound: 100 }],
  ] as const)("%s", (_, changes, expected) => expect(usableOf({ ...good(300), ...changes })).toEqual(expected));
});

it("speech is where the transcript has a cue", () => {
  const cues = [
    { startMs: 1500, endMs: 2500, text: "a" },
    { startMs: 4000, endMs: 9000, text: "b" },
  ];
  expect(speechOf(cues, 6)).toEqual([0, 1, 1, 0, 1, 1]);
});

it.each([
  ["frame:0    pts:0\nlavfi.signalstats.YDIF=0\nframe:1    pts:1\nlavfi.signalstats.YDIF=4.94705\n", 0, [0, 4.9]],
  ["frame:0\nlavfi.astats.Overall.RMS_level=-inf\nframe:1\nlavfi.astats.Overall.RMS_level=-21.09\n", -120, [-120, -21.1]],
  ["frame:0\nlavfi.astats.Overall.RMS_level=-170.2\n", -120, [-120]],
  ["", 0, null],
])("what ffmpeg printed: %j", (text, least, expected) => expect(readPrinted(text, least)).toEqual(expected));
