import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Settings } from "../../config/schema.ts";
import { ProgramFailed, runProgram } from "../../lib/program.ts";
import type { Source } from "../cutter.ts";
import { demuxerOf } from "../cutter.ts";
import { readPrinted, type Signals, silentDb } from "./rules.ts";

/** Measures recordings. Rejects with ProgramFailed, or with the signal's reason when stopped. */
export interface Meter {
  /** Measures a video in one pass. `folder` is where the program leaves its figures. */
  measure(from: Source, folder: string, stop: AbortSignal): Promise<Signals>;
}

export type MeterOptions = Pick<Settings["clips"], "ffmpeg" | "maxPixels" | "memoryBytes" | "measureTimeoutMs">;

/** A day. The length that a file states says nothing: a few bytes can stand for years, and each second of them would be printed. */
const longest = ["-t", "86400"];

const files = { luma: "luma.txt", motion: "motion.txt", loudness: "loudness.txt" };

/** Small enough that the picture costs next to nothing once it is decoded, large enough that a text that scrolls is motion. */
const picture = "fps=1,scale=64:36:flags=area,format=yuv420p,signalstats";
const print = (key: string, file: string) => `metadata=print:key=lavfi.${key}:file=${file}`;
/** One frame of sound for each second. */
const sound = "aformat=sample_fmts=s16:sample_rates=8000:channel_layouts=mono,asetnsamples=n=8000:p=0";
const level = "astats=metadata=1:reset=1:measure_perchannel=none:measure_overall=RMS_level";

/** It decodes on one thread and leaves out what only makes the picture look better. */
export function createFfmpegMeter({ ffmpeg, maxPixels, memoryBytes, measureTimeoutMs }: MeterOptions): Meter {
  const quietFor = ({ protocols = "file" }: Source) => [
    ...["-nostdin", "-hide_banner", "-loglevel", "error", "-protocol_whitelist", protocols, "-filter_threads", "1"],
  ];
  const fast = [
    "-max_pixels",
    String(maxPixels),
    "-threads",
    "1",
    "-skip_loop_filter",
    "all",
    "-skip_frame",
    "noref",
    "-flags2",
    "fast",
  ];
  const filters = [
    ...["-vf", [picture, print("signalstats.YHIGH", files.luma), print("signalstats.YDIF", files.motion)].join()],
    ...["-af", [sound, level, `a${print("astats.Overall.RMS_level", files.loudness)}`].join()],
  ];
  return {
    async measure(from, folder, stop) {
      const input = ["-f", demuxerOf(from), ...fast, ...longest, "-i", from.path, "-map", "0:v:0?", "-map", "0:a:0?"];
      const limits = { timeoutMs: measureTimeoutMs, memoryBytes, maxOutputBytes: 1024 * 1024, cwd: folder };
      await runProgram([...ffmpeg, ...quietFor(from), ...input, ...filters, ...longest, "-f", "null", "-"], limits, stop);
      const read = async (file: string, least: number) =>
        readPrinted(await readFile(join(folder, file), "utf8").catch(() => ""), least);
      const signals = {
        luma: await read(files.luma, 0),
        motion: await read(files.motion, 0),
        loudness: await read(files.loudness, silentDb),
      };
      if (Object.values(signals).every((series) => series === null)) throw new ProgramFailed("the program measured nothing");
      return signals;
    },
  };
}
