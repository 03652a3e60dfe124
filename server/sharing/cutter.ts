import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { CutLimit } from "../../src/contract/states/index.ts";
import type { Settings } from "../config/schema.ts";
import { ProgramFailed, runProgram } from "../lib/program.ts";
import { drawings, picture, type Shown } from "./reels/drawing.ts";

/** Nothing was cut, because of a limit or for what ffmpeg says. */
export class CutFailed extends Error {
  override name = "CutFailed";
  readonly limit: CutLimit | null;
  constructor(message: string, limit: CutLimit | null, options?: ErrorOptions) {
    super(message, options);
    this.limit = limit;
  }
}

/** Takes parts and images out of a video file. Rejects with CutFailed, or with the signal's reason when stopped. */
export interface Cutter {
  /** Writes the part between two positions (ms) to `to`, an MP4 file. */
  clip(from: Source, part: { atMs: number; endMs: number }, to: string, stop: AbortSignal): Promise<void>;
  /** Writes the frame at a position (ms) to `to`, and a small copy of it to `small`, JPEG files. */
  still(from: Source, atMs: number, to: string, small: string, stop: AbortSignal): Promise<void>;
  /** Writes the card of a part of a reel and the part itself into the folder, both with the same size, rate and sound. */
  reelPart(from: Source, part: { atMs: number; endMs: number }, into: ReelPart, stop: AbortSignal): Promise<void>;
  /** Joins so many parts of a folder, in their order, to one MP4 file. */
  join(folder: string, count: number, to: string, stop: AbortSignal): Promise<void>;
}

export interface ReelPart {
  folder: string;
  /** Its position in the reel. */
  index: number;
  shown: Shown;
}

/** A video file, its media type by signature and its length (ms), if that is known. */
export interface Source {
  /** A path, or an address on this machine. */
  path: string;
  /** What ffmpeg calls the way to it: a file unless it says otherwise. */
  protocols?: string;
  contentType: string;
  lengthMs: number | null;
}

export type CutterOptions = Omit<Settings["clips"], "maxPendingPerAccount" | "parallel" | "measureTimeoutMs">;

/** What ffmpeg prints is only shown to operators. */
const maxOutputBytes = 1024 * 1024;

/** The demuxer by the type that the server found, so that a file is never read as a playlist, which could name other files. */
const demuxers: Record<string, string> = { "video/webm": "matroska", "video/x-matroska": "matroska" };

export const demuxerOf = ({ contentType }: Pick<Source, "contentType">) => demuxers[contentType] ?? "mov";

/** The longest that the last frame of a video lasts, as far as images are concerned. */
const lastFrameMs = 200;

/** Leaves out what the video says about itself, and its chapters. */
const bare = ["-map_metadata", "-1", "-map_chapters", "-1"];

/** What ffmpeg says of a picture with more pixels than `-max_pixels`. */
const tooManyPixels = /exceeds specified max pixel count/;

/** The widths (px) up to which an image stays as wide as the video: on its own or as a poster, and in a list, where it is 16 rem wide on dense screens. */
const widths = { whole: 1280, small: 512 };

const { width, height, rate, soundHz } = picture;
const blank = `color=c=0x10151c:s=${width}x${height}:r=${rate}`;
const silence = `anullsrc=r=${soundHz}:cl=stereo`;
/** A picture of any size and rate as those of a reel have it: as large as fits, in the middle. */
const fitted = `scale=${width}:${height}:force_original_aspect_ratio=decrease:force_divisible_by=2,pad=${width}:${height}:(ow-iw)/2:(oh-ih)/2,setsar=1,fps=${rate}`;
/** Sound that is as long as the picture, whatever is missing. */
const filled = `aresample=${soundHz}:async=1:first_pts=0,aformat=channel_layouts=stereo,apad`;
const filtered = (pictures: readonly string[]) => ["-vf", [...pictures, "format=yuv420p"].join(), "-af", filled];

const seconds = (ms: number) => (ms / 1000).toFixed(3);

const quietFor = (protocols = "file") => [
  ...["-nostdin", "-hide_banner", "-loglevel", "error", "-y", "-protocol_whitelist", protocols, "-filter_threads", "1"],
];

/**
 * A hostile file of some kilobytes can hold a picture for which ffmpeg would need gigabytes and every processor. So the size of what is
 * read is limited, it is scaled down before anything else keeps copies of it, and threads, which each hold pictures, are few.
 */
export function createFfmpegCutter(options: CutterOptions): Cutter {
  const { ffmpeg, threads, maxPixels, maxSidePixels, maxBytes, memoryBytes } = options;
  const few = ["-threads", String(threads)];
  const input = ({ path, protocols, contentType }: Source, atMs: number) => [
    ...quietFor(protocols),
    "-f",
    demuxerOf({ contentType }),
    "-ss",
    seconds(atMs),
    "-max_pixels",
    String(maxPixels),
    ...few,
    "-i",
    path,
  ];
  /** The last frame begins before the video ends. */
  const withinFrames = ({ lengthMs }: Source, atMs: number) => Math.max(0, Math.min(atMs, (lengthMs ?? Infinity) - lastFrameMs));
  const image = (width: number, to: string) => [
    ...["-map", "0:v:0", "-frames:v", "1", "-vf", `scale='min(${width},iw)':-2`, ...bare, ...few],
    ...["-c:v", "mjpeg", "-pix_fmt", "yuvj420p", "-q:v", "4", "-f", "mjpeg", to],
  ];
  const most = (side: "iw" | "ih") => `'min(${maxSidePixels},${side})'`;
  const smaller = `scale=${most("iw")}:${most("ih")}:force_original_aspect_ratio=decrease`;
  const run = (args: readonly string[], timeoutMs: number, stop: AbortSignal, cwd?: string) =>
    runProgram([...ffmpeg, ...args], { timeoutMs, memoryBytes, maxOutputBytes, ...(cwd && { cwd }) }, stop).catch(
      (error: unknown) => {
        if (!(error instanceof ProgramFailed)) throw error;
        const limit = tooManyPixels.test(error.message) ? "picture" : error.limit;
        throw new CutFailed(error.message, limit ?? null, { cause: error });
      },
    );

  const encoded = [
    ...["-c:v", "libx264", "-preset", "veryfast", "-x264-params", "rc-lookahead=10", "-pix_fmt", "yuv420p", ...few],
    ...["-c:a", "aac", "-ac", "2"],
  ];
  const file = (to: string) => ["-movflags", "+faststart", "-fs", String(maxBytes), "-f", "mp4", to];

  return {
    async clip(from, { atMs, endMs }, to, stop) {
      const length = ["-t", seconds(endMs - atMs), "-map", "0:v:0", "-map", "0:a:0?", ...bare];
      const filter = ["-vf", `${smaller},pad=ceil(iw/2)*2:ceil(ih/2)*2`];
      await run([...input(from, atMs), ...length, ...filter, ...encoded, ...file(to)], options.timeoutMs, stop);
    },
    async still(from, atMs, to, small, stop) {
      const outputs = [...image(widths.whole, to), ...image(widths.small, small)];
      await run([...input(from, withinFrames(from, atMs)), ...outputs], options.stillTimeoutMs, stop);
    },
    async reelPart(from, { atMs, endMs }, { folder, index, shown }, stop) {
      const { card, said } = await drawings(folder, index, shown);
      const made = ["-f", "lavfi", "-i", blank, "-f", "lavfi", "-i", silence];
      const outputs = [
        ...[
          "-t",
          seconds(shown.cardMs),
          "-map",
          "1:v",
          "-map",
          "2:a",
          ...filtered(card),
          ...encoded,
          ...file(`card-${index}.mp4`),
        ],
        // A video without sound has silence. Of a video with sound, the silence is a second track, which is not joined.
        ...["-t", seconds(endMs - atMs), "-map", "0:v:0", "-map", "0:a:0?", "-map", "2:a", ...bare],
        ...[...filtered([fitted, ...said]), ...encoded, ...file(`part-${index}.mp4`)],
      ];
      await run([...input(from, atMs), ...made, ...outputs], options.timeoutMs, stop, folder);
    },
    async join(folder, count, to, stop) {
      const names = Array.from({ length: count }, (_, index) => `file card-${index}.mp4\nfile part-${index}.mp4\n`);
      await writeFile(join(folder, "parts.txt"), `ffconcat version 1.0\n${names.join("")}`);
      const all = ["-f", "concat", "-safe", "1", "-i", "parts.txt", "-map", "0:v:0", "-map", "0:a:0", "-c", "copy", ...bare];
      await run([...quietFor(), ...all, ...file(to)], options.timeoutMs, stop, folder);
    },
  };
}
