import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { videoSeconds } from "../../src/io/files/video-length.ts";

const box = (type: string, ...parts: Buffer[]) => {
  const content = Buffer.concat(parts);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(content.length + 8);
  head.write(type, 4, "latin1");
  return Buffer.concat([head, content]);
};
const longBox = (type: string, size: bigint) => {
  const head = Buffer.alloc(16);
  head.writeUInt32BE(1);
  head.write(type, 4, "latin1");
  head.writeBigUInt64BE(size, 8);
  return head;
};
const numbers = (...values: number[]) => {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, i) => void bytes.writeUInt32BE(value, i * 4));
  return bytes;
};
const ftyp = box("ftyp", Buffer.from("isom"), numbers(0));
const header = box("moov", box("free", numbers(1, 2)), box("mvhd", numbers(0, 1, 2, 600, 1_140_000), Buffer.alloc(80)));
const longHeader = box("moov", box("mvhd", numbers(0x01000000, 0, 0, 0, 0, 1000, 0, 62_500), Buffer.alloc(80)));

const element = (id: number[], content: Buffer) =>
  Buffer.concat([Buffer.from(id), Buffer.from([0x40 | (content.length >> 8), content.length & 0xff]), content]);
const double = (value: number) => {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(value);
  return bytes;
};
const webm = Buffer.concat([
  element([0x1a, 0x45, 0xdf, 0xa3], Buffer.from("webm")),
  // The size of a live recording is unknown.
  Buffer.from([0x18, 0x53, 0x80, 0x67, 0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]),
  element(
    [0x15, 0x49, 0xa9, 0x66],
    Buffer.concat([element([0x2a, 0xd7, 0xb1], Buffer.from([0x0f, 0x42, 0x40])), element([0x44, 0x89], double(95_500))]),
  ),
]);
const sample = readFileSync(join(import.meta.dirname, "../../server/sandbox/sample.mp4"));

/** A file whose pictures are not there, and how many bytes of it were read. */
function file(parts: readonly (Buffer | number)[]) {
  let bytes = 0;
  const read = async (offset: number, length: number) => {
    const out: Buffer[] = [];
    let at = 0;
    for (const part of parts) {
      const size = typeof part === "number" ? part : part.length;
      const [from, to] = [Math.max(0, offset - at), Math.min(size, offset + length - at)];
      if (from < to) out.push(typeof part === "number" ? Buffer.alloc(to - from) : part.subarray(from, to));
      at += size;
    }
    bytes += length;
    return Buffer.concat(out);
  };
  return { read, count: () => bytes };
}

it.each([
  ["the sample of the sandbox", [sample], 3],
  ["MP4 with the header in front", [ftyp, header], 1900],
  ["MP4 with the header behind 8 GiB of pictures", [ftyp, longBox("mdat", 8_589_934_592n), 8_589_934_576, header], 1900],
  ["MP4 with 64-bit times", [ftyp, longHeader], 62.5],
  ["WebM", [webm], 95.5],
  ["a text", [Buffer.from("this is no video, whatever its name may say")], undefined],
  ["nothing", [], undefined],
  ["MP4 that was cut", [ftyp, header.subarray(0, 30)], undefined],
  ["boxes without end", [ftyp, ...Array.from({ length: 200 }, () => box("free", numbers(1, 2)))], undefined],
] as const)("the length of %s", async (_, parts, seconds) => {
  const { read, count } = file(parts);
  const found = await videoSeconds(read);
  expect(found === undefined ? undefined : Math.round(found * 10) / 10).toBe(seconds);
  expect(count()).toBeLessThan(10_000_000);
});
