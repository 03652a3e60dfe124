import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { jpegSize } from "../../server/lib/jpeg.ts";

const picture = (name: string) => readFileSync(new URL(`../fixtures/pictures/${name}.jpg`, import.meta.url));
/** Pictures that ImageMagick wrote. */
const [baseline, progressive, gray] = [picture("baseline"), picture("progressive"), picture("gray")];

const segment = (marker: number, content: Buffer) => {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(content.length + 2, 2);
  return Buffer.concat([head, content]);
};
/** A picture with more between its beginning and the rest. */
const withMore = (of: Buffer, ...more: Buffer[]) => Buffer.concat([of.subarray(0, 2), ...more, of.subarray(2)]);
/** As cameras write it: the thumbnail is a JPEG of its own. */
const exif = segment(0xe1, Buffer.concat([Buffer.from("Exif\0\0"), gray]));
/** Where the size of the baseline picture ends. */
const end = baseline.indexOf(Buffer.from([0xff, 0xc0])) + 9;
const withHeight = (height: number) => {
  const changed = Buffer.from(baseline);
  changed.writeUInt16BE(height, end - 4);
  return changed;
};

describe("the size of a JPEG", () => {
  it.each([
    ["baseline", baseline, [64, 36]],
    ["progressive", progressive, [64, 36]],
    ["gray", gray, [9, 16]],
    ["with EXIF and its thumbnail", withMore(baseline, exif), [64, 36]],
    ["with a comment, as ffmpeg writes it", withMore(baseline, segment(0xfe, Buffer.from("Lavc59.37.100\0"))), [64, 36]],
    ["with 60 kB of colors", withMore(baseline, segment(0xe2, Buffer.alloc(60_000))), [64, 36]],
    ["with fill bytes", withMore(baseline, Buffer.from([0xff, 0xff, 0xff])), [64, 36]],
    ["up to its size", baseline.subarray(0, end), [64, 36]],
    ["cut a byte before", baseline.subarray(0, end - 1), undefined],
    ["cut in its metadata", withMore(baseline, exif).subarray(0, 30), undefined],
    ["only the beginning", baseline.subarray(0, 2), undefined],
    ["without a height", withHeight(0), undefined],
    ["with a segment of no length", withMore(baseline, Buffer.from([0xff, 0xe1, 0, 0, 0])), undefined],
    ["without a frame", Buffer.from([0xff, 0xd8, 0xff, 0xd9, 0, 0]), undefined],
    ["a PNG", Buffer.from("89504e470d0a1a0a0000000d49484452", "hex"), undefined],
    ["nothing", Buffer.alloc(0), undefined],
  ])("%s", (_, bytes, expected) => {
    const size = jpegSize(bytes);
    expect(size && [size.width, size.height]).toEqual(expected);
  });

  it("is found in none of the cut files, and nothing throws", () => {
    for (let length = 0; length < end; length++) expect(jpegSize(progressive.subarray(0, length))).toBeUndefined();
  });
});
