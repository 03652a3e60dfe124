import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { minVideoSeconds } from "../../server/playtests/slots/rules.ts";
import { videoLength } from "../../server/uploads/videos/length.ts";
import { lengthText } from "../../src/contract/text/length.ts";
import { videoKinds, videoOf } from "../helpers/videos.ts";

vi.setConfig({ testTimeout: 60_000 });

const folder = mkdtempSync(join(tmpdir(), "playtest-length-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Its length in whole seconds, give or take the last frame, which only some formats count. */
async function secondsOf(bytes: Uint8Array, limits?: Parameters<typeof videoLength>[1]) {
  const path = join(folder, "video");
  writeFileSync(path, bytes);
  const ms = await videoLength(path, limits);
  return ms === null ? null : Math.round(ms / 10_000) * 10;
}

const limits = { timeoutMs: 30_000, maxBytes: 64 * 1024 * 1024, heapMiB: 256 };

/** An MP4 whose first table claims 4 billion entries. */
async function boastful(table: string): Promise<Buffer> {
  const bytes = await videoOf(60);
  const at = bytes.indexOf(table, 0, "latin1");
  bytes.writeUInt32BE(0xffff_ffff, at + (table === "stsz" ? 12 : 8));
  return bytes;
}

describe("length of a video", () => {
  it.each(videoKinds)("of %s is read", async (kind) => {
    expect(await secondsOf(await videoOf(1800, kind))).toBe(1800);
  });

  it("is read from the beginning of a file of which not more may be read", async () => {
    const large = Buffer.concat([await videoOf(60), Buffer.alloc(1024 * 1024)]);
    expect(await secondsOf(large, { ...limits, maxBytes: 64 * 1024 })).toBe(60);
  });

  it.each([
    ["noise", Buffer.alloc(4096, 7)],
    ["an empty file", Buffer.alloc(0)],
    ["a signature without a video", Buffer.concat([Buffer.from("\0\0\0\x18ftypmp42"), Buffer.alloc(4000, 7)])],
  ])("of %s is unknown", async (_, bytes) => {
    expect(await secondsOf(bytes)).toBeNull();
  });

  it("of an MP4 that was cut off before its index is unknown", async () => {
    const bytes = await videoOf(60, "an MP4 with its index at the end");
    expect(await secondsOf(bytes.subarray(0, 600))).toBeNull();
  });

  it("of a file that needs more than may be read is unknown", async () => {
    expect(await secondsOf(await videoOf(1800, "a WebM that was streamed"), { ...limits, maxBytes: 2048 })).toBeNull();
  });

  it("of a file that takes too long is unknown", async () => {
    expect(await secondsOf(await videoOf(600, "a WebM that was streamed"), { ...limits, timeoutMs: 0 })).toBeNull();
  });

  it.each(["stts", "stsz", "stsc", "stco"])(
    "of an MP4 whose %s claims 4 billion entries comes or not, and the next is read",
    async (table) => {
      expect([null, 60]).toContain(await secondsOf(await boastful(table), { ...limits, timeoutMs: 5_000 }));
      expect(await secondsOf(await videoOf(60))).toBe(60);
    },
  );
});

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
