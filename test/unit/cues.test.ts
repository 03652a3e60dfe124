import { expect, it } from "vitest";
import { readCues, writeCues } from "../../src/contract/text/cues.ts";

it.each([
  [
    "WebVTT with notes, numbers, settings, speakers and markup",
    "\ufeffWEBVTT Kind: captions\r\n\r\nNOTE made by a program\r\n\r\nSTYLE\r\n::cue { color: red }\r\n\r\n1\r\n00:00:01.000 --> 00:00:02.500 align:start\r\n<v Ann>What a <i>fine</i> lamp\r\nit is.</v>\r\n\r\n01:02:03.000 --> 01:02:04.000\r\nJumps &amp; falls.",
    [
      { startMs: 1000, endMs: 2500, text: "Ann: What a fine lamp it is." },
      { startMs: 3_723_000, endMs: 3_724_000, text: "Jumps & falls." },
    ],
  ],
  ["SubRip", "1\n00:00:01,000 --> 00:00:02,500\nHello.\n", [{ startMs: 1000, endMs: 2500, text: "Hello." }]],
  [
    "cues that are not in order",
    "WEBVTT\n\n00:05.000 --> 00:06.000\nlate\n\n00:01.000 --> 00:02.000\nearly\n",
    [
      { startMs: 1000, endMs: 2000, text: "early" },
      { startMs: 5000, endMs: 6000, text: "late" },
    ],
  ],
  ["cues without text", "WEBVTT\n\n00:01.000 --> 00:02.000\n\n00:02.000 --> 00:03.000\n<i></i>\n", []],
  ["a text that is no transcript", "I went left.\n\nThen right.", []],
])("cues: %s", (_, text, cues) => expect(readCues(text)).toEqual(cues));

it("cues without their speakers, also where a tag has no end", () => {
  const said = ["<v Ann>One", "<v.loud Ann Lee>Two</v>", "Three <v Ann", "4 < 5"];
  const text = said.map((line, at) => `00:0${at}.000 --> 00:0${at}.500\n${line}`).join("\n\n");
  expect(readCues(text, "hidden").map((cue) => cue.text)).toEqual(["One", "Two", "Three", "4 < 5"]);
  expect(readCues(text).map((cue) => cue.text)).toEqual(["Ann: One", "Ann Lee: Two", "Three <v Ann", "4 < 5"]);
});

it("cues without the names that stand before a colon, on each line", () => {
  const text = "00:01.000 --> 00:02.000\nANN: One, Ben: two.\nBen Lee:  Three\nCleo: four\n\n00:02.000 --> 00:03.000\nAnn:";
  const texts = readCues(text, { hidden: ["Ann", "Ben Lee"] }).map((cue) => cue.text);
  expect(texts).toEqual(["One, Ben: two. Three Cleo: four"]);
});

it("cues as WebVTT, whose texts cannot end them", () => {
  const cues = [{ startMs: 3_723_004, endMs: 3_724_000, text: "1 < 2 & --> 3" }];
  expect(writeCues(cues)).toBe("WEBVTT\n\n01:02:03.004 --> 01:02:04.000\n1 &lt; 2 &amp; --&gt; 3\n");
  expect(readCues(writeCues(cues))).toEqual(cues);
});

// Each took minutes when a search for the end of a tag began again at every `<`.
it.each([["<"], ["<v "], ["<v.a "], ["<v    "], [">"], ["<v>"], ["-->\n"]])(
  "a long transcript of %j is read in one go",
  (piece) => {
    const text = `WEBVTT\n\n00:01.000 --> 00:02.000\n${piece.repeat(2_000_000 / piece.length)}`;
    expect(readCues(text).length).toBeLessThan(2);
    expect(readCues(text, "hidden").length).toBeLessThan(2);
  },
);
