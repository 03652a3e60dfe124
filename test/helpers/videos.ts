import { readFileSync } from "node:fs";
import {
  BufferTarget,
  EncodedPacket,
  EncodedVideoPacketSource,
  MkvOutputFormat,
  MovOutputFormat,
  Mp4OutputFormat,
  Output,
  type OutputFormat,
  WebMOutputFormat,
} from "mediabunny";

/** An AVC decoder configuration, as MP4 files have one. No test decodes a frame. */
const avc = new Uint8Array([1, 0x42, 0, 0x1e, 0xff, 0xe1, 0, 4, 0x67, 0x42, 0, 0x1e, 1, 0, 4, 0x68, 0xce, 0x38, 0x80]);

const formats = {
  "an MP4": () => new Mp4OutputFormat({ fastStart: "in-memory" }),
  "an MP4 with its index at the end": () => new Mp4OutputFormat({ fastStart: false }),
  "a fragmented MP4": () => new Mp4OutputFormat({ fastStart: "fragmented" }),
  "a MOV": () => new MovOutputFormat(),
  "a WebM": () => new WebMOutputFormat(),
  "a WebM that was streamed": () => new WebMOutputFormat({ appendOnly: true }),
  "an MKV": () => new MkvOutputFormat(),
} as const satisfies Record<string, () => OutputFormat>;
export type VideoKind = keyof typeof formats;
export const videoKinds = Object.keys(formats) as VideoKind[];

/** A file of test/fixtures/videos, which ffmpeg recorded. */
export const videoFixture = (name: string) => readFileSync(new URL(`../fixtures/videos/${name}`, import.meta.url));

/** A recording that a browser wrote while it was streamed: it says its length nowhere. */
export const streamed = (seconds: number, frameBytes: number) => videoOf(seconds, "a WebM that was streamed", frameBytes);

const clusterId = Buffer.from([0x1f, 0x43, 0xb6, 0x75]);

/** An EBML element whose size takes eight bytes. */
function element(id: Buffer, content: Buffer): Buffer {
  const size = Buffer.alloc(8);
  size.writeBigUInt64BE(BigInt(content.length) | (1n << 56n));
  return Buffer.concat([id, size, content]);
}

const tracksId = Buffer.from([0x16, 0x54, 0xae, 0x6b]);
/** How ffmpeg begins a track. */
const trackStart = Buffer.from([0xae, 1, 0, 0, 0, 0, 0, 0]);
const ways = { encrypted: [0x50, 0x35], compressed: [0x50, 0x34] };

/** A WebM or MKV of ffmpeg whose tracks say that they are stored in this way: the pictures, or the sound as well. */
export function storedAs(way: keyof typeof ways, bytes: Buffer, which: "pictures" | "all"): Buffer {
  const at = bytes.lastIndexOf(tracksId, bytes.indexOf(trackStart));
  const end = at + 6 + (bytes.readUInt16BE(at + 4) & 0x3fff);
  const starts: number[] = [];
  for (let from = bytes.indexOf(trackStart, at); from >= 0 && from < end; from = bytes.indexOf(trackStart, from + 1))
    starts.push(from);
  const parts = [Buffer.from([0x6d, 0x80]), Buffer.from([0x62, 0x40]), Buffer.from(ways[way])];
  const encodings = parts.reduceRight<Buffer>((content, id) => element(id, content), Buffer.alloc(0));
  const tracks = starts.map((start, index) => {
    const content = bytes.subarray(start + 9, starts[index + 1] ?? end);
    const isChanged = which === "all" || content.includes(Buffer.from([0x83, 0x81, 1]));
    return element(trackStart.subarray(0, 1), isChanged ? Buffer.concat([content, encodings]) : content);
  });
  return Buffer.concat([bytes.subarray(0, at), element(tracksId, Buffer.concat(tracks)), bytes.subarray(end)]);
}

/** A cluster of a WebM, `byMs` later. Its time is the first element. */
function later(cluster: Buffer, byMs: number): Buffer {
  const inside = cluster.subarray(4 + Math.clz32(cluster[4]!) - 23);
  const timeEnd = 2 + (inside[1]! & 0x7f);
  const time = Buffer.from([0xe7, 0x84, 0, 0, 0, 0]);
  time.writeUInt32BE(inside.readUIntBE(2, timeEnd - 2) + byMs, 2);
  return element(clusterId, Buffer.concat([time, inside.subarray(timeEnd)]));
}

/** As `streamed`, of pictures that a browser shows: a recording of two seconds again and again, with a gap after each. */
export function longRecording(times: number, gapBytes: number): Buffer {
  const bytes = videoFixture("streamed.webm");
  const starts: number[] = [];
  for (let at = bytes.indexOf(clusterId); at >= 0; at = bytes.indexOf(clusterId, at + 4)) starts.push(at);
  const clusters = starts.map((start, index) => bytes.subarray(start, starts[index + 1]));
  const gap = element(Buffer.from([0xec]), Buffer.alloc(gapBytes));
  const parts = Array.from({ length: times }, (_, turn) => [...clusters.map((one) => later(one, turn * 2000)), gap]);
  return Buffer.concat([bytes.subarray(0, starts[0]), ...parts.flat()]);
}

/** A box of an MP4. */
export function box(name: string, content: Uint8Array): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(content.length + 8);
  head.write(name, 4, "latin1");
  return Buffer.concat([head, content]);
}

/** The beginning of an MP4 and so many boxes with nothing in them. */
export function emptyBoxes(count: number): Buffer {
  const bytes = Buffer.alloc(count * 8, box("free", Buffer.alloc(0)));
  return Buffer.concat([box("ftyp", Buffer.from("isom\0\0\0\0")), bytes]);
}

/** A video of one frame per second, whose frames hold nothing. */
export async function videoOf(seconds: number, kind: VideoKind = "an MP4", frameBytes = 16): Promise<Buffer> {
  const target = new BufferTarget();
  const output = new Output({ format: formats[kind](), target });
  const codec = /MP4|MOV/.test(kind) ? "avc" : "vp8";
  const source = new EncodedVideoPacketSource(codec);
  output.addVideoTrack(source);
  await output.start();
  const config = { codec: codec === "avc" ? "avc1.42001e" : "vp8", codedWidth: 64, codedHeight: 48 };
  const decoderConfig = codec === "avc" ? { ...config, description: avc } : config;
  for (let at = 0; at < seconds; at++) {
    const packet = new EncodedPacket(new Uint8Array(frameBytes), at % 10 === 0 ? "key" : "delta", at, 1, at);
    await source.add(packet, at === 0 ? { decoderConfig } : undefined);
  }
  await output.finalize();
  return Buffer.from(target.buffer!);
}
