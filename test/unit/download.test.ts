import { join } from "node:path";
import { Readable } from "node:stream";
import { expect, it } from "vitest";
import { download } from "../../src/io/files/download.ts";
import { safePart } from "../../src/io/files/safe-name.ts";
import { testFolder } from "../helpers/cli.ts";

it.each([
  ["a".repeat(300), "a".repeat(80)],
  ["長".repeat(80), "長".repeat(26)],
  ["😀".repeat(80), "😀".repeat(20)],
  [`${"a".repeat(79)}長b`, "a".repeat(79)],
])("safe-name: a part has at most 80 bytes, and whole characters", (text, expected) => {
  expect(safePart(text)).toBe(expected);
});

it("download: a name that the disk refuses is no lost connection", async () => {
  const streams: Readable[] = [];
  const way = {
    async send() {
      const stream = Readable.from([Buffer.from("video")]);
      streams.push(stream);
      return { status: 200, headers: {}, body: Buffer.alloc(0), stream };
    },
    sleep: async () => {},
    now: () => 0,
    random: () => 0,
    signal: new AbortController().signal,
    trace: () => {},
    timeout: 1_000,
    retries: 3,
    maxWait: 60_000,
  };
  const stem = join(testFolder(), "a".repeat(250));
  const link = async () => "https://files.example.com/video";
  const asked = { stem, extension: ".mp4", otherwise: ".bin", version: "1", size: 5, link, way, onBytes: () => {} };
  await expect(download(asked)).rejects.toThrow(`Cannot write ${stem}.1.part: ENAMETOOLONG`);
  expect(streams.map(({ destroyed }) => destroyed)).toEqual([true]);
});
