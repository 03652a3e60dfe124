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

/** A video of one frame per second, whose frames hold nothing. */
export async function videoOf(seconds: number, kind: VideoKind = "an MP4"): Promise<Buffer> {
  const target = new BufferTarget();
  const output = new Output({ format: formats[kind](), target });
  const codec = /MP4|MOV/.test(kind) ? "avc" : "vp8";
  const source = new EncodedVideoPacketSource(codec);
  output.addVideoTrack(source);
  await output.start();
  const config = { codec: codec === "avc" ? "avc1.42001e" : "vp8", codedWidth: 64, codedHeight: 48 };
  const decoderConfig = codec === "avc" ? { ...config, description: avc } : config;
  for (let at = 0; at < seconds; at++) {
    const packet = new EncodedPacket(new Uint8Array(16), at % 10 === 0 ? "key" : "delta", at, 1, at);
    await source.add(packet, at === 0 ? { decoderConfig } : undefined);
  }
  await output.finalize();
  return Buffer.from(target.buffer!);
}
