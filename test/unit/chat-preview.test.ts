import { describe, expect, it } from "vitest";
import { previewOf } from "../../server/chat/rules.ts";

describe("the preview of a message", () => {
  it.each([
    ["Hello", "Hello"],
    ["  a\n\nb\u0007\t c  d ", "a b c d"],
    ["a\u202eb\u2066c\u061cd\u2028e", "a b c d e"],
    ["x".repeat(100), "x".repeat(100)],
    ["x".repeat(101), `${"x".repeat(99)}…`],
    ["🎮".repeat(101), `${"🎮".repeat(99)}…`],
  ])("of %j is %j", (content, preview) => {
    expect(previewOf(content)).toBe(preview);
  });
});
