import { expect, it } from "vitest";
import { readableTranscript } from "../../src/io/files/transcript-text.ts";

it.each([
  [
    "WebVTT",
    "WEBVTT\n\nNOTE made by a program\n\n1\n00:00:01.000 --> 00:00:02.500 align:start\n<v Ann>What a <i>fine</i> lamp\nit is.</v>\n\n01:02:03.000 --> 01:02:04.000\nJumps &amp; falls.\n",
    "[00:01] Ann: What a fine lamp it is.\n[1:02:03] Jumps & falls.",
  ],
  ["WebVTT without hours", "WEBVTT\r\n\r\n00:05.000 --> 00:06.000\r\nHello.\r\n", "[00:05] Hello."],
  [
    "SubRip",
    "1\n00:00:01,000 --> 00:00:02,500\nHello.\n\n2\n00:10:00,000 --> 00:10:01,000\nBye.\n",
    "[00:01] Hello.\n[10:00] Bye.",
  ],
  ["plain text", "I went left.\n\nThen right.", "I went left.\n\nThen right."],
])("transcript: %s is readable", (_, text, readable) => {
  expect(readableTranscript(text)).toBe(readable);
});
