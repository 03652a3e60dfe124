import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { inspectFile } from "../../server/uploads/videos/inspect.ts";
import { playsEverywhere, tracksText, type VideoFacts } from "../../src/contract/files/inspect-video.ts";
import { inspectLocal, inspectRemote } from "../../src/io/files/video-file.ts";
import { box, emptyBoxes, storedAs, streamed, videoFixture, videoKinds, videoOf } from "../helpers/videos.ts";

const folder = mkdtempSync(join(tmpdir(), "playtest-video-"));
afterAll(() => rmSync(folder, { recursive: true }));

const limits = { timeoutMs: 30_000 };

/** What the server's thread, the command from a file, and the command from another server find out. The first two must agree. */
async function inspected(bytes: Uint8Array, given = limits): Promise<VideoFacts | null> {
  const path = join(folder, "video");
  writeFileSync(path, bytes);
  const facts = await inspectFile(path, given);
  if (given === limits) expect((await inspectLocal(path)) ?? null).toEqual(facts);
  return facts;
}

/** Its length in whole seconds, give or take the last frame, which only some formats count. */
async function secondsOf(bytes: Uint8Array, given = limits) {
  const ms = (await inspected(bytes, given))?.durationMs;
  return ms ? Math.round(ms / 10_000) * 10 : null;
}

const shownAs = ({ type, tracks, durationMs, fault }: VideoFacts) =>
  [type, tracksText(tracks), durationMs, fault, fault === null && playsEverywhere({ type, tracks })] as const;

describe("a file that a program recorded", () => {
  it.each([
    ["index-at-end.mp4", "video/mp4", "H.264, 160×90, AAC", 2000, null, true],
    ["fragments.mp4", "video/mp4", "H.264, 160×90, AAC", 2221, null, true],
    ["frames.webm", "video/webm", "VP9, 320×180", 12_000, null, true],
    ["streamed.webm", "video/webm", "VP8, 160×90, Opus", 2007, null, true],
    ["streamed.mkv", "video/x-matroska", "H.264, 160×90, AAC", 2021, null, false],
    ["hevc.mp4", "video/mp4", "HEVC (H.265), 160×90, AAC", 2000, null, false],
    ["sound.mp4", "video/mp4", "AAC", null, "no-picture", false],
    ["sound.webm", "video/webm", "Opus", null, "no-picture", false],
    ["encrypted.mp4", "video/mp4", "", null, "encrypted", false],
    ["instant.mp4", "video/mp4", "H.264, 64×48", null, null, true],
  ] as const)("%s", async (name, ...expected) => {
    expect(shownAs((await inspected(videoFixture(name)))!)).toEqual(expected);
  });
});

/** Where the last box of this name begins. */
const lastBox = (bytes: Buffer, name: string) => bytes.lastIndexOf(name, undefined, "latin1") - 4;
const clusterAt = (bytes: Buffer) => bytes.indexOf(Buffer.from([0x1f, 0x43, 0xb6, 0x75]));
const tracksAt = (bytes: Buffer) => bytes.indexOf(Buffer.from([0x16, 0x54, 0xae, 0x6b]));

/** With a name of a box in the place of another. */
const named = (bytes: Buffer, from: string, to: string) => Buffer.from(bytes.toString("latin1").replaceAll(from, to), "latin1");

const long = await streamed(60, 1000);

describe("a file that cannot be watched, or only in part", () => {
  const [mp4, fragments, webm] = ["index-at-end.mp4", "fragments.mp4", "streamed.webm"].map(videoFixture) as [
    Buffer,
    Buffer,
    Buffer,
  ];
  const firstFragment = fragments.indexOf("moof", 0, "latin1") - 4;

  it.each([
    ["an MP4 cut at half", mp4.subarray(0, mp4.length / 2), "unfinished"],
    ["an MP4 cut inside its index", mp4.subarray(0, lastBox(mp4, "moov") + 100), "unfinished"],
    ["an MP4 of fragments before the first", fragments.subarray(0, firstFragment), "unfinished"],
    [
      "fragments without their beginning",
      Buffer.concat([fragments.subarray(0, fragments.readUInt32BE(0)), fragments.subarray(firstFragment)]),
      "unfinished",
    ],
    ["a WebM before its first pictures", webm.subarray(0, clusterAt(webm)), "unfinished"],
    ["a WebM without tracks", webm.subarray(0, tracksAt(webm)), "unfinished"],
    ["a signature and noise", Buffer.concat([Buffer.from("\0\0\0\x18ftypmp42"), Buffer.alloc(4000, 7)]), "unfinished"],
    [
      "a box that is smaller than its header",
      Buffer.concat([box("ftyp", Buffer.from("isom")), Buffer.alloc(64, 1)]),
      "unfinished",
    ],
    ["a WebM that is encrypted", storedAs("encrypted", webm, "all"), "encrypted"],
    ["a WebM whose pictures are encrypted", storedAs("encrypted", webm, "pictures"), "encrypted"],
    ["an MKV whose pictures are encrypted", storedAs("encrypted", videoFixture("streamed.mkv"), "pictures"), "encrypted"],
    ["an MP4 of a shop for films", named(videoFixture("encrypted.mp4"), "encv", "drmi"), "encrypted"],
    ["a text", Buffer.from("This is a letter, whatever its name may say."), "not-video"],
    ["nothing", Buffer.alloc(0), "not-video"],
  ])("%s", async (_, bytes, fault) => {
    expect((await inspected(bytes))?.fault).toBe(fault);
  });

  it.each(["all", "pictures"] as const)(
    "a WebM that players can unpack, but the library cannot, is not judged (%s)",
    async (which) => {
      expect(await inspected(storedAs("compressed", webm, which))).toBeNull();
    },
  );

  it.each([
    ["an MP4 of fragments whose last one was cut", fragments.subarray(0, lastBox(fragments, "moof") + 100), 2],
    ["a WebM whose last part was cut", webm.subarray(0, webm.length - 2000), 1],
    ["a WebM without a length whose last part was cut", long.subarray(0, 50_500), 39],
  ])("%s has the length of the rest", async (_, bytes, seconds) => {
    const facts = await inspected(bytes);
    expect([facts?.fault, Math.round(facts!.durationMs! / 1000)]).toEqual([null, expect.closeTo(seconds, -0.3)]);
  });
});

describe("length of a video", () => {
  it.each(videoKinds)("of %s is read", async (kind) => {
    expect(await secondsOf(await videoOf(1800, kind))).toBe(1800);
  });

  it("of a large recording without a length is read from its end, not from all of it", async () => {
    const bytes = await streamed(300, 256 * 1024);
    const read: [number, number][] = [];
    const facts = await inspectRemote(bytes.length, async (offset, length) => {
      read.push([offset, length]);
      return bytes.subarray(offset, offset + length);
    });
    expect(Math.round(facts!.durationMs! / 1000)).toBe(299);
    expect(read.reduce((sum, [, length]) => sum + length, 0)).toBeLessThan(bytes.length / 4);
    expect(read.length).toBeLessThan(40);
  });

  it("of an MP4 whose index is behind eight gigabytes is read with a few requests", async () => {
    const mp4 = videoFixture("index-at-end.mp4");
    const [start, at] = [mp4.readUInt32BE(0), lastBox(mp4, "moov")];
    // A box of a size that takes 64 bits, of which nothing is there.
    const gap = box("free", Buffer.alloc(8));
    gap.writeUInt32BE(1);
    gap.writeBigUInt64BE(8n * 1024n ** 3n, 8);
    const head = Buffer.concat([mp4.subarray(0, start), gap]);
    const size = start + 8 * 1024 ** 3 + mp4.length - at;
    let requests = 0;
    const facts = await inspectRemote(size, async (offset, length) => {
      requests++;
      const bytes = Buffer.alloc(length);
      if (offset < head.length) head.copy(bytes, 0, offset);
      const tail = size - (mp4.length - at);
      if (offset + length > tail) mp4.copy(bytes, Math.max(0, tail - offset), at + Math.max(0, offset - tail));
      return bytes;
    });
    expect(facts).toMatchObject({ fault: null, durationMs: 2000 });
    expect(requests).toBeLessThan(12);
  });

  it("is not asked for again and again when the connection fails", async () => {
    const failing = inspectRemote(1000, () => Promise.reject(new Error("lost")));
    await expect(failing).rejects.toThrow("lost");
  });
});

describe("a file that was made to cost much", () => {
  it("6,000,000 empty boxes take no more steps than 10,000", async () => {
    expect((await inspected(emptyBoxes(6_000_000)))?.fault).toBe("unfinished");
    const bytes = emptyBoxes(6_000_000);
    let reads = 0;
    await inspectRemote(bytes.length, async (offset, length) => {
      reads++;
      return bytes.subarray(offset, offset + length);
    });
    expect(reads).toBeLessThan(10);
  });

  it("is given up when it takes too long, too many reads or too many bytes", async () => {
    const bytes = await videoOf(600, "a WebM that was streamed");
    expect(await inspected(bytes, { ...limits, timeoutMs: 0 })).toBeNull();
    const few = { ...limits, bounds: { reads: 5, bytes: 2 ** 20 } };
    expect(await inspected(bytes, few)).toBeNull();
    expect(await inspected(bytes, { ...limits, ...{ bounds: { reads: 1000, bytes: 100 } } })).toBeNull();
  });

  it("keeps what is known without the length", async () => {
    const bytes = await videoOf(600, "a WebM that was streamed");
    const facts = await inspected(bytes, { ...limits, ...{ bounds: { reads: 1000, bytes: 1000 } } });
    expect(facts).toMatchObject({ durationMs: null, fault: null, tracks: [{ codec: "vp8" }] });
  });

  it.each(["stts", "stsz", "stsc", "stco"])(
    "an MP4 whose %s claims 4 billion entries ends, and the next is read",
    async (table) => {
      const bytes = await videoOf(60);
      const at = bytes.indexOf(table, 0, "latin1");
      bytes.writeUInt32BE(0xffff_ffff, at + (table === "stsz" ? 12 : 8));
      expect([null, 60]).toContain(await secondsOf(bytes, { timeoutMs: 5000 }));
      expect(await secondsOf(await videoOf(60))).toBe(60);
    },
  );
});
