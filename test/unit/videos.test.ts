import { describe, expect, it } from "vitest";
import { sampleVideos } from "../../server/sandbox/sample-video.ts";
import { videoType } from "../../src/contract/files/inspect-video.ts";
import { safeName } from "../../src/contract/files/media.ts";

const box = (type: string, brand: string) =>
  Buffer.concat([Buffer.from([0, 0, 0, 24]), Buffer.from(type + brand), Buffer.alloc(12)]);
const ebml = (docType: string) =>
  Buffer.concat([
    Buffer.from([0x1a, 0x45, 0xdf, 0xa3, 0x9f, 0x42, 0x86, 0x81, 1, 0x42, 0x82, 0x80 | docType.length]),
    Buffer.from(docType),
    Buffer.alloc(20),
  ]);

const rows: [name: string, head: Buffer, type: string | undefined][] = [
  ["MP4 as a phone writes it", box("ftyp", "mp42"), "video/mp4"],
  ["MP4 as ffmpeg writes it", box("ftyp", "isom"), "video/mp4"],
  ...sampleVideos.map((video, at): [string, Buffer, string] => [
    `sample video ${at + 1} of the sandbox`,
    Buffer.from(video, "base64"),
    "video/mp4",
  ]),
  ["MOV", box("ftyp", "qt  "), "video/quicktime"],
  ["MOV without a brand", box("moov", "\0\0\0l"), "video/quicktime"],
  ["WebM", ebml("webm"), "video/webm"],
  ["MKV", ebml("matroska"), "video/x-matroska"],
  ["EBML of another type", ebml("other"), undefined],
  ["a Windows program", Buffer.from("MZ\x90\0\x03\0\0\0\x04\0\0\0\xff\xff\0\0", "latin1"), undefined],
  ["an ELF program", Buffer.from("\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0", "latin1"), undefined],
  ["an HTML page", Buffer.from("<!doctype html><script>ftypmp42</script>"), undefined],
  ["a HEIC picture", box("ftyp", "heic"), undefined],
  ["an AVIF picture", box("ftyp", "avif"), undefined],
  ["an M4A song", box("ftyp", "M4A "), undefined],
  ["an MP4 that ends inside its brand", box("ftyp", "mp42").subarray(0, 10), undefined],
  ["an empty file", Buffer.alloc(0), undefined],
];

describe("video type from the first bytes", () => {
  it.each(rows)("%s", (_name, head, type) => {
    expect(videoType(head)).toBe(type);
  });
});

describe("name for saving", () => {
  it.each([
    ["playtest.hta", "video/mp4", "playtest.mp4"],
    ["playtest.mp4.EXE", "video/webm", "playtest.mp4.webm"],
    ["clip.MOV", "video/quicktime", "clip.MOV"],
    ["my clip", "video/x-matroska", "my clip.mkv"],
    ["run.bat. ", "video/mp4", "run.mp4"],
    [".hta", "video/mp4", ".mp4"],
    ["session.js", "text/vtt; charset=utf-8", "session.vtt"],
    ["build.exe", "application/octet-stream", "build.exe"],
  ])("%j of %s", (filename, mediaType, name) => {
    expect(safeName(filename, mediaType)).toBe(name);
  });
});
