import { crc32, deflateSync } from "node:zlib";

function chunk(type: string, body: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, "latin1"), body]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(body.length, 0);
  ends.writeUInt32BE(crc32(named), 4);
  return Buffer.concat([ends.subarray(0, 4), named, ends.subarray(4)]);
}

/** A PNG of one color, with transparency (`rgba`) as a browser would show it. `pixels` replaces its compressed pixels. */
export function pngOf(size: { width: number; height: number }, rgba: readonly [number, number, number, number], pixels?: Buffer) {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(size.width, 0);
  head.writeUInt32BE(size.height, 4);
  head.set([8, 6], 8);
  const line = [0, ...Array.from({ length: size.width }, () => rgba).flat()];
  const lines = Buffer.from(Array.from({ length: size.height }, () => line).flat());
  const parts = [chunk("IHDR", head), chunk("IDAT", pixels ?? deflateSync(lines)), chunk("IEND", Buffer.alloc(0))];
  return Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), ...parts]);
}
