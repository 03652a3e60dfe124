import { describe, expect, it } from "vitest";
import { InvalidTranscript, readTranscript } from "../../server/transcripts/rules.ts";
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

describe("a transcriber prints", () => {
  const json = (value: unknown) => readTranscript(JSON.stringify(value));
  const segments = [
    { start: 0, end: 1.5, text: "  Hi <b> & --> \r\n\n there  " },
    { start: 3723.0404, end: 36_000, text: "" },
  ];

  it("WebVTT, alone or in JSON with what matters", () => {
    expect(readTranscript(plain)).toEqual({ vtt: plain, keyTakeaways: [] });
    expect(json({ vtt: plain, keyTakeaways: ["a"], takeaways: ["b"] })).toEqual({ vtt: plain, keyTakeaways: ["a"] });
    expect(json({ vtt: plain, takeaways: ["b"] })).toEqual({ vtt: plain, keyTakeaways: ["b"] });
    expect(json({ vtt: plain })).toEqual({ vtt: plain, keyTakeaways: [] });
    expect(json({ vtt: plain, segments })).toEqual({ vtt: plain, keyTakeaways: [] });
  });

  it("segments in seconds", () => {
    expect(json({ segments }).vtt).toBe(
      "WEBVTT\n\n00:00:00.000 --> 00:00:01.500\nHi &lt;b> &amp; →\nthere\n\n01:02:03.040 --> 10:00:00.000\n\n",
    );
    expect(json({ segments: [] }).vtt).toBe("WEBVTT\n\n");
  });

  it("as much as this", () => {
    const most = Array.from({ length: 100 }, () => "x".repeat(2000));
    expect(json({ vtt: plain, keyTakeaways: most }).keyTakeaways).toEqual(most);
  });

  it.each<[string, unknown, RegExp]>([
    ["a list", [plain], /not an object/],
    ["null", null, /not an object/],
    ["a number", 5, /not an object/],
    ["no transcript", {}, /neither/],
    ["something else for WebVTT, beside segments", { vtt: "no", segments }, /neither/],
    ["a number for WebVTT", { vtt: 5 }, /neither/],
    ["no list of segments", { segments: {} }, /neither/],
    ["an empty segment", { segments: [null] }, /a segment/],
    ["a segment without a start", { segments: [{ end: 1, text: "" }] }, /a segment/],
    ["a segment without an end", { segments: [{ start: 1, text: "" }] }, /a segment/],
    ["a segment without a text", { segments: [{ start: 0, end: 1 }] }, /a segment/],
    ["a text for a start", { segments: [{ start: "0", end: 1, text: "" }] }, /a segment/],
    ["a text for an end", { segments: [{ start: 0, end: "1", text: "" }] }, /a segment/],
    ["a segment before the video", { segments: [{ start: -1, end: 1, text: "" }] }, /a segment/],
    ["a segment that ends before it starts", { segments: [{ start: 2, end: 1, text: "" }] }, /a segment/],
    ["one that is no list of takeaways", { vtt: plain, keyTakeaways: "a" }, /keyTakeaways/],
    ["a takeaway that is no text", { vtt: plain, keyTakeaways: [5] }, /keyTakeaways/],
    ["a list for a takeaway", { vtt: plain, keyTakeaways: [["a"]] }, /keyTakeaways/],
    ["a takeaway among others that is no text", { vtt: plain, keyTakeaways: ["a", 5] }, /keyTakeaways/],
    ["a takeaway with half a character", { vtt: plain, keyTakeaways: ["\ud83d"] }, /keyTakeaways/],
    ["a takeaway that is too long", { vtt: plain, keyTakeaways: ["x".repeat(2001)] }, /keyTakeaways/],
    ["too many takeaways", { vtt: plain, keyTakeaways: Array(101).fill("a") }, /keyTakeaways/],
  ])("no JSON with %s", (_, value, why) => {
    expect(() => json(value)).toThrow(why);
    expect(() => json(value)).toThrow(InvalidTranscript);
  });

  it("a segment as short as nothing, with lines that end in CR", () => {
    const segments = [{ start: 1, end: 1, text: "a\rb" }];
    expect(json({ segments }).vtt).toContain("00:00:01.000 --> 00:00:01.000\na\nb\n");
  });

  it.each([
    ["Hello", "neither WebVTT nor JSON"],
    [`${plain}\0`, "NUL"],
  ])("no %j", (output, why) => {
    expect(() => readTranscript(output)).toThrow(why);
    expect(() => readTranscript(output)).toThrow(expect.objectContaining({ name: "InvalidTranscript" }));
  });

  it("no JSON, whose error the log has", () => {
    expect(() => readTranscript("Hello")).toThrow(expect.objectContaining({ cause: expect.any(SyntaxError) }));
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
