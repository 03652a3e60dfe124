import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { defaults } from "../../server/config/defaults.ts";
import { type ProgramFailed, type ProgramOptions, runProgram } from "../../server/lib/program.ts";
import { type CutFailed, type CutterOptions, createFfmpegCutter, type Source } from "../../server/sharing/cutter.ts";
import { createCommandTranscriber } from "../../server/transcripts/command.ts";
import { freshFolder } from "../helpers/store.ts";

const never = new AbortController().signal;
const isLinux = process.platform === "linux";
const MiB = 2 ** 20;

describe("a program that reads foreign media", () => {
  const options: ProgramOptions = { timeoutMs: 60_000, maxOutputBytes: MiB, memoryBytes: 256 * MiB };
  const run = (script: string, more: Partial<ProgramOptions> = {}) =>
    runProgram(["/bin/sh", "-c", script], { ...options, ...more }, never);

  const secret = "PLAYTEST_SECRET_KEY";
  afterEach(() => {
    delete process.env[secret];
    delete process.env.CUDA_VISIBLE_DEVICES;
  });

  it("gets no variable of the server but those by which it finds programs and prints text, and those that are named", async () => {
    Object.assign(process.env, { [secret]: "secret-of-this-test", CUDA_VISIBLE_DEVICES: "1, 2" });
    // Which shells set by themselves.
    const own = ["PWD", "OLDPWD", "SHLVL", "_"];
    const seen = async (environment?: string[]) => {
      const lines = (await run("env", environment && { environment })).trim().split("\n");
      return lines.filter((line) => !own.includes(line.split("=")[0]!)).sort();
    };
    expect(await seen()).toEqual(["LANG=C.UTF-8", `PATH=${process.env.PATH}`]);
    expect(await seen(["CUDA_VISIBLE_DEVICES", "NOT_SET"])).toEqual([
      "CUDA_VISIBLE_DEVICES=1, 2",
      "LANG=C.UTF-8",
      `PATH=${process.env.PATH}`,
    ]);
    const transcriber = createCommandTranscriber({ ...defaults.transcriber, command: ["/bin/sh", "-c", "env"] });
    expect(await transcriber.transcribe(join(freshFolder(), "video"), never)).not.toContain("secret-of-this-test");
    // What watches over the program is a process of the same user, too.
    if (isLinux) expect(await run("grep -l 'secret-of-this-test' /proc/[0-9]*/environ 2>/dev/null || :")).toBe("");
  });

  it("yields the processor to the server", async () => {
    const own = Number(execFileSync("nice", { encoding: "utf8" }));
    expect(Number(await run("nice"))).toBe(Math.min(19, own + 10));
  });

  it("is quoted with the first and the last that it says", async () => {
    const failed = await run("echo first >&2; seq 10000 >&2; echo last >&2; exit 3").catch((error: ProgramFailed) => error);
    expect((failed as ProgramFailed).message).toMatch(
      /^the program ended with exit code 3: first\n1\n[\s\S]{900,2000}10000\nlast$/,
    );
  });

  it("fails when it runs too long, and is named as the reason", async () => {
    const failed = await run("exec sleep 60", { timeoutMs: 50 }).catch((error: ProgramFailed) => error);
    expect(failed).toMatchObject({ limit: "time", message: "the program ran longer than 50 ms" });
  });

  if (isLinux) {
    it("gets no more memory than it may, whereupon the failure says so, and is the first to go when memory runs out", async () => {
      const greedy = `exec '${process.execPath}' -e 'const all = []; for (let n = 0; n < 40; n++) all.push(Buffer.alloc(1e7, 1))'`;
      const failed = await run(greedy).catch((error: ProgramFailed) => error);
      expect(failed).toMatchObject({ limit: "memory" });
      expect((failed as ProgramFailed).message).toMatch(/^the program ran out of memory \(it may take 268435456 bytes\)/);
      await run(greedy, { memoryBytes: null });
      expect(await run("cat /proc/self/oom_score_adj")).toBe("1000\n");
    });
  }
});

const ffmpeg = spawnSync("ffmpeg", ["-version"]).status === 0 ? ["ffmpeg"] : undefined;
if (!ffmpeg) console.warn("Left out: what limits ffmpeg. Install ffmpeg to run it.");
else
  describe("ffmpeg", () => {
    const fixture = (name: string) => fileURLToPath(new URL(`../fixtures/videos/${name}`, import.meta.url));
    // One second of black in 6 kB.
    const wide: Source = { path: fixture("wide.mp4"), contentType: "video/mp4", lengthMs: 1000 };
    // 16 kB, four pictures of 8192 × 4320, for which ffmpeg took gigabytes.
    const huge: Source = { path: fixture("huge.webm"), contentType: "video/webm", lengthMs: 133 };
    const cutter = (more: Partial<CutterOptions> = {}) => createFfmpegCutter({ ...defaults.clips, ffmpeg, ...more });
    const part = { atMs: 0, endMs: 900 };
    const pictureOf = (path: string) =>
      /Video: .* (\d+x\d+)[ ,]/.exec(spawnSync("ffmpeg", ["-i", path], { encoding: "utf8" }).stderr)?.[1];

    it("cuts a 4K recording, at most 1920 pixels wide, and its image", async () => {
      const [to, still, small] = ["clip", "still", "small"].map((name) => join(freshFolder(), name)) as [string, string, string];
      await cutter().clip(wide, part, to, never);
      await cutter().still(wide, 500, still, small, never);
      expect([to, still, small].map(pictureOf)).toEqual(["1920x1080", "1280x720", "512x288"]);
      expect(readFileSync(to).subarray(4, 8).toString()).toBe("ftyp");
    });

    it("keeps a smaller video as it is", async () => {
      const frames: Source = { path: fixture("frames.mp4"), contentType: "video/mp4", lengthMs: null };
      const to = join(freshFolder(), "clip");
      await cutter().clip(frames, part, to, never);
      expect(pictureOf(to)).toBe(pictureOf(frames.path));
    });

    it("refuses a picture with more pixels than it may read, and takes no more memory than it may", async () => {
      const to = join(freshFolder(), "clip");
      const limit = (more: Partial<CutterOptions> = {}) =>
        cutter(more)
          .clip(huge, part, to, never)
          .then(
            () => statSync(to).size > 0,
            (error: CutFailed) => error.limit,
          );
      const maxPixels = 2 ** 30;
      expect(await limit()).toBe("picture");
      if (isLinux) expect(await limit({ maxPixels, memoryBytes: 128 * MiB })).toBe("memory");
      expect(await limit({ maxPixels })).toBe(true);
    });
  });
