import { describe, expect, it } from "vitest";
import { coverPath, imageType, maxCoverBytes, retryAfterMs } from "../../server/games/covers/rules.ts";

const minute = 60_000;

describe("a cover", () => {
  const bytes = (text: string) => Buffer.from(text, "latin1");
  it.each([
    ["image/png", "\x89PNG\r\n\x1a\n…"],
    ["image/jpeg", "\xff\xd8\xff\xe0"],
    ["image/gif", "GIF87a…"],
    ["image/gif", "GIF89a…"],
    ["image/webp", "RIFF1234WEBPVP8 "],
    [undefined, "RIFF1234WAVEfmt "],
    [undefined, "JUNK1234WEBP"],
    [undefined, "RIFF12345WEBP"],
    [undefined, "<svg xmlns"],
    [undefined, " GIF89a"],
    [undefined, ""],
  ])("is of the type %s: %j", (type, start) => {
    expect(imageType(bytes(start))).toBe(type);
  });

  it("is read from where its bytes begin", () => {
    expect(imageType(new Uint8Array(bytes("xxGIF89a…")).subarray(2))).toBe("image/gif");
    expect(imageType(bytes("RIFF1234WEBP").subarray(0, 10))).toBeUndefined();
  });

  it.each([
    [1, minute],
    [2, 4 * minute],
    [4, 64 * minute],
    [5, undefined],
    [6, undefined],
  ])("that failed %i times is tried again in ms: %s", (attempts, wait) => {
    expect(retryAfterMs(attempts)).toBe(wait);
  });

  it("has an address, and a megabyte at most", () => {
    expect([coverPath("G", "abc"), maxCoverBytes]).toEqual(["/covers/G/abc", 1_048_576]);
  });
});
