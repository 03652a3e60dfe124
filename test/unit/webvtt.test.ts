import { describe, expect, it } from "vitest";
import { readTranscript } from "../../server/transcripts/rules.ts";
import { readCues } from "../../src/contract/text/cues.ts";
import { decodeReferences } from "../../src/contract/text/references.ts";
import { toWebVtt } from "../../src/contract/text/webvtt.ts";

const plain = "WEBVTT\n\n00:00:01.000 --> 00:00:02.000\nHi\n";

describe("a transcript as WebVTT", () => {
  it.each([
    ["as it is", plain, plain],
    ["with a byte-order mark and CRLF", `\ufeff${plain.replaceAll("\n", "\r\n")}`, plain],
    ["with lone CR", plain.replaceAll("\n", "\r"), plain],
    [
      "with hours of one digit",
      "WEBVTT\n\n0:00:01.000 --> 0:00:02.000 align:start\nHi\n",
      plain.replace("2.000", "2.000 align:start"),
    ],
    ["without hours", "WEBVTT\n\n00:01.000 --> 00:02.000\nHi\n", "WEBVTT\n\n00:01.000 --> 00:02.000\nHi\n"],
    ["SubRip without hours", "00:01,000 --> 00:02,000\nHi\n", plain],
    ["with commas", "WEBVTT\n\n00:00:01,000 --> 00:00:02,000\nHi\n", plain],
    ["SubRip", "1\n00:00:01,000 --> 00:00:02,000\nHi\n", plain.replace("\n\n", "\n\n1\n")],
    ["SubRip after empty lines, with positions", "\n\n00:00:01,000 --> 00:00:02,000  X1:40 X2:600\n{\\an8}Hi\n", plain],
    [
      "SubRip with markup and characters of WebVTT",
      '1\n00:00:01,000 --> 00:00:02,000\n<font color="red"><b>Tom</b></font> & Ann: 1 < 2 &amp; <3\n',
      "WEBVTT\n\n1\n00:00:01.000 --> 00:00:02.000\n<b>Tom</b> &amp; Ann: 1 &lt; 2 &amp; &lt;3\n",
    ],
    ["SubRip of 120 hours", "120:00:01,000 --> 120:00:02,000\nHi\n", plain.replaceAll("00:00:0", "120:00:0")],
  ])("%s", (_, text, vtt) => {
    expect(toWebVtt(text)).toEqual({ vtt });
  });

  it.each([
    ["Hello", "must be WebVTT, whose first line is WEBVTT, or SubRip (SRT)"],
    ["a --> b", "must be WebVTT, whose first line is WEBVTT, or SubRip (SRT)"],
    ["", "must be WebVTT, whose first line is WEBVTT, or SubRip (SRT)"],
    ["WEBVTT", "must have at least one cue, such as 00:00:01.000 --> 00:00:04.000"],
    ["1\r\n00:00:1,000 --> 00:00:02,000\r\nHi", "has an invalid time in line 2; write it as 00:00:01.000 --> 00:00:04.000"],
    [`${plain}\n00:99:01.000 --> 00:99:02.000\nHi`, "has an invalid time in line 6; write it as 00:00:01.000 --> 00:00:04.000"],
    ...["->", "→", "–", "=>"].map((arrow) => [
      `${plain}\n00:00:03.000 ${arrow} 00:00:04.000\nHi`,
      "has an invalid time in line 6; write it as 00:00:01.000 --> 00:00:04.000",
    ]),
    ["1\r00:00:03,000 --> 00:00:02,000\rHi", "has a cue in line 2 that ends before it starts"],
  ])("%j is refused with its line", (text, fault) => {
    expect(toWebVtt(text)).toEqual({ fault });
  });

  it("a transcriber may print SubRip, or WebVTT without a word in it", () => {
    const subRip = "1\n00:00:01,000 --> 00:00:02,000\nHi\n";
    expect(readTranscript(subRip).vtt).toBe(plain.replace("\n\n", "\n\n1\n"));
    expect(readTranscript(JSON.stringify({ vtt: subRip })).vtt).toBe(plain.replace("\n\n", "\n\n1\n"));
    expect(readTranscript("WEBVTT\n").vtt).toBe("WEBVTT\n");
  });
});

describe("character references", () => {
  it.each([
    ["Caf&eacute; &#233; &#xE9; &#Xe9;", "Café é é é"],
    ["&quot;Don&#39;t&apos;&hellip;&mdash;&euro;&rarr;", "\"Don't'…—€→"],
    ["a&nbsp;b&lrm;c&rlm;d", "a bcd"],
    ["&amp;lt; is &lt;", "&lt; is <"],
    ["&#128512;&#x1f600;", "😀😀"],
    ["&#27;[2J&#0;&#x9b;&#xd800;&#x110000;&#999999999;", " [2J     "],
    ["AT&T; R&D &nope; &;", "AT&T; R&D &nope; &;"],
  ])("%s", (text, decoded) => {
    expect(decodeReferences(text)).toBe(decoded);
  });

  it("are decoded in cues, and hours may have one digit", () => {
    const [cue] = readCues("WEBVTT\n\n1:00:01.000 --> 1:00:02.000\nCaf&eacute; &#8211; na&#xef;ve\n");
    expect(cue).toEqual({ startMs: 3_601_000, endMs: 3_602_000, text: "Café – naïve" });
  });
});
