import { expect, it } from "vitest";
import { minVideoSeconds } from "../../server/playtests/slots/rules.ts";
import { lengthText } from "../../src/contract/text/length.ts";

it.each([
  [false, null, 1800],
  [true, null, 0],
  [true, 10, 360],
  [false, 0, 0],
])("shortest video: sandbox %s, setting %s: %i seconds of an hour", (sandbox, minVideoPercent, seconds) => {
  expect(minVideoSeconds(60, { sandbox, playtesters: { minVideoPercent } })).toBe(seconds);
});

it.each([
  [null, "unknown"],
  [0, "0 s"],
  [45.9, "45 s"],
  [725, "12 min 5 s"],
  [1800, "30 min"],
  [3725, "1 h 2 min"],
  [7200, "2 h"],
])("length in words: %j is %s", (seconds, text) => {
  expect(lengthText(seconds)).toBe(text);
});
