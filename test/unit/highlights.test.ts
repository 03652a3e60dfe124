import { describe, expect, it } from "vitest";
import { defaults } from "../../server/config/defaults.ts";
import { type Highlight, lexiconOf, type Watched } from "../../server/sharing/highlights/rules.ts";
import { highlightsOf } from "../helpers/highlights.ts";

const lexicon = { confusion: ["what?", "where do I"], delight: ["wow"] };
const all = { minutes: 600, perVideo: 50 };
const cue = (second: number, text: string) => ({ startMs: second * 1000, endMs: second * 1000 + 2000, text });
const steady = (seconds: number, value: number) => new Array<number>(seconds).fill(value);
const replaced = (series: number[], from: number, to: number, value: number) =>
  series.map((one, at) => (at >= from && at < to ? value : one));

const video = (more: Partial<Watched> = {}): Watched => ({
  slotId: "a",
  lengthMs: 600_000,
  signals: { loudness: steady(600, -30), motion: steady(600, 5), luma: steady(600, 100) },
  cues: [],
  notes: [],
  said: "",
  ...more,
});

const shown = (highlights: readonly Highlight[]) =>
  highlights.map(
    ({ slotId, fromMs, toMs, score, reasons }) =>
      `${slotId} ${fromMs / 1000}-${toMs / 1000} ${score}: ${reasons.map(({ text }) => text).join("; ")}`,
  );

describe("highlights", () => {
  it.each([
    ["nothing", {}, []],
    ["a note", { notes: [{ atMs: 100_000, severity: null }] }, ["a 96-108 4: your note"]],
    ["a severe note at the beginning", { notes: [{ atMs: 1000, severity: 4 }] }, ["a 0-9 8: your note"]],
    [
      "times that the playtester wrote, each once, and none beyond the video",
      { said: "Stuck at 1:40 and 1:40, see 01:45. Ratio 4:3, v1:20:3, 59:59" },
      ["a 96-113 8: the playtester's notes name 1:40, 01:45"],
    ],
    [
      "words, in any case and with other signs",
      { cues: [cue(100, "What? Where do I go?"), cue(105, "WHAT"), cue(110, "somewhat where do we")] },
      ["a 96-115 6: “what?” twice, “where do I”"],
    ],
    ["nothing said after a cue", { cues: [cue(100, "Hm."), cue(130, "Yes.")] }, ["a 98-118 1.5: nothing said for 28 s"]],
    [
      "a frozen picture",
      { signals: { loudness: null, motion: replaced(steady(600, 5), 200, 240, 0), luma: null } },
      ["a 196-216 3: picture frozen for 40 s"],
    ],
    [
      "a black picture, which shows nothing",
      {
        signals: {
          loudness: null,
          motion: replaced(steady(600, 5), 200, 240, 0),
          luma: replaced(steady(600, 100), 200, 240, 16),
        },
      },
      [],
    ],
    [
      "an outburst",
      { signals: { loudness: replaced(steady(600, -30), 300, 303, -10), motion: null, luma: null } },
      ["a 296-311 2: among the loudest 1 %"],
    ],
    [
      "no loop of a transcriber, no words over silence and none that are too fast",
      {
        signals: { loudness: replaced(steady(600, -30), 200, 230, -120), motion: null, luma: null },
        cues: [
          ...[100, 102, 104, 106].map((second) => cue(second, "wow")),
          cue(210, "what?"),
          { startMs: 300_000, endMs: 301_000, text: "what? and then so many other words in one second" },
        ],
      },
      [],
    ],
    [
      "nothing beyond the end of the video",
      {
        lengthMs: 60_000,
        notes: [{ atMs: 60_000, severity: null }],
        said: "See 1:40",
        cues: [cue(100, "What?"), cue(130, "Yes.")],
        signals: {
          loudness: replaced(steady(600, -30), 300, 303, -10),
          motion: replaced(steady(600, 5), 200, 240, 0),
          luma: null,
        },
      },
      [],
    ],
    ["steady noise", { signals: { loudness: steady(600, -5), motion: null, luma: null } }, []],
    [
      "one that stands beside another, and one that is cut at the end of the video",
      {
        notes: [
          { atMs: 100_000, severity: null },
          { atMs: 112_000, severity: null },
          { atMs: 599_000, severity: null },
        ],
      },
      ["a 96-120 8: 2 of your notes", "a 595-600 4: your note"],
    ],
  ] as const)("%s", (_, more, expected) =>
    expect(shown(highlightsOf([video(more as Partial<Watched>)], lexicon, all))).toEqual(expected),
  );

  it("are so many of each video, and together no longer than asked for", () => {
    const notes = [100, 200, 300].map((second) => ({ atMs: second * 1000, severity: null }));
    const videos = [video({ notes }), video({ slotId: "b", notes: notes.slice(0, 1) })];
    const of = (minutes: number, perVideo: number) =>
      highlightsOf(videos, lexicon, { minutes, perVideo }).map(({ slotId }) => slotId);
    expect([of(600, 2), of(1, 50), of(600, 1)]).toEqual([
      ["a", "a", "b"],
      ["a", "a", "a", "b"],
      ["a", "b"],
    ]);
  });

  it("have no sign of one kind more than three times", () => {
    const cues = [100, 101, 102, 103, 104].map((second) => cue(second, `wow, ${second}`));
    expect(shown(highlightsOf([video({ cues })], lexicon, all))).toEqual(["a 96-114 6: “wow” 5 times"]);
  });

  it("of 20 hours of video, 30 minutes have what was planted in them, and the same minutes each time", () => {
    let state = 20260301;
    const random = () => {
      state = (state * 1664525 + 1013904223) % 2 ** 32;
      return state / 2 ** 32;
    };
    const hour = 3600;
    const noise = (mean: number, spread: number) => Array.from({ length: hour }, () => mean + (random() + random() - 1) * spread);
    const planted: { slotId: string; at: number }[] = [];
    const videos = Array.from({ length: 20 }, (_, number): Watched => {
      const slotId = String(number).padStart(2, "0");
      const at = [300, 1300, 2300].map((start) => start + Math.floor(random() * 900));
      for (const second of at) planted.push({ slotId, at: second });
      const talk = Array.from({ length: hour / 10 }, (_, index) => cue(index * 10, "then I go on to the next room"));
      return {
        slotId,
        lengthMs: hour * 1000,
        signals: {
          loudness: replaced(noise(-28, 6), at[0]!, at[0]! + 4, -8),
          motion: replaced(noise(6, 4), at[1]!, at[1]! + 40, 0),
          luma: steady(hour, 100),
        },
        cues: [...talk, cue(at[2]!, "what? no idea")].sort((a, b) => a.startMs - b.startMs),
        notes: [],
        said: "",
      };
    });
    const found = highlightsOf(videos, lexiconOf(defaults.highlights), { minutes: 30, perVideo: 3 });
    const within = planted.filter((one) =>
      found.some(
        ({ slotId, fromMs, toMs }) => slotId === one.slotId && fromMs <= (one.at + 2) * 1000 && toMs >= (one.at - 2) * 1000,
      ),
    );
    expect(within.length / planted.length).toBeGreaterThanOrEqual(0.9);
    expect(found.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0)).toBeLessThanOrEqual(30 * 60_000);
    expect(highlightsOf(videos.toReversed(), lexiconOf(defaults.highlights), { minutes: 30, perVideo: 3 })).toEqual(found);
  });
});
