import { runProgram } from "../lib/program.ts";

/** Takes parts and images out of a video file. Rejects with ProgramFailed, or with the signal's reason when stopped. */
export interface Cutter {
  /** Writes the part between two positions (ms) to `to`, an MP4 file. */
  clip(from: Source, part: { atMs: number; endMs: number }, to: string, stop: AbortSignal): Promise<void>;
  /** Writes the frame at a position (ms) to `to`, and a small copy of it to `small`, JPEG files. */
  still(from: Source, atMs: number, to: string, small: string, stop: AbortSignal): Promise<void>;
}

/** A video file, its media type by signature and its length (ms), if that is known. */
export interface Source {
  path: string;
  contentType: string;
  lengthMs: number | null;
}

export interface CutterOptions {
  /** Program and first arguments. */
  ffmpeg: readonly string[];
  timeoutMs: number;
  maxBytes: number;
}

/** What ffmpeg prints is only shown to operators. */
const maxOutputBytes = 1024 * 1024;

/** The demuxer by the type that the server found, so that a file is never read as a playlist, which could name other files. */
const demuxers: Record<string, string> = { "video/webm": "matroska", "video/x-matroska": "matroska" };

/** The longest that the last frame of a video lasts, as far as images are concerned. */
const lastFrameMs = 200;

/** Leaves out what the video says about itself, and its chapters. */
const bare = ["-map_metadata", "-1", "-map_chapters", "-1"];

/** The largest picture that is decoded: 8K. A small file can hold one for which ffmpeg would need many gigabytes. */
const maxPixels = 8192 * 4320;

/** The widths (px) up to which an image stays as wide as the video: on its own or as a poster, and in a list, where it is 16 rem wide on dense screens. */
const widths = { whole: 1280, small: 512 };

const seconds = (ms: number) => (ms / 1000).toFixed(3);

/** Cuts with ffmpeg, which may open local files only. */
export function createFfmpegCutter({ ffmpeg, timeoutMs, maxBytes }: CutterOptions): Cutter {
  const quiet = ["-nostdin", "-hide_banner", "-loglevel", "error", "-y", "-protocol_whitelist", "file"];
  const input = ({ path, contentType }: Source, atMs: number) => [
    "-f",
    demuxers[contentType] ?? "mov",
    "-ss",
    seconds(atMs),
    "-max_pixels",
    String(maxPixels),
    "-i",
    path,
  ];
  /** The last frame begins before the video ends. */
  const withinFrames = ({ lengthMs }: Source, atMs: number) => Math.max(0, Math.min(atMs, (lengthMs ?? Infinity) - lastFrameMs));
  const image = (width: number, to: string) => [
    ...["-map", "0:v:0", "-frames:v", "1", "-vf", `scale='min(${width},iw)':-2`, ...bare],
    ...["-c:v", "mjpeg", "-pix_fmt", "yuvj420p", "-q:v", "4", "-f", "mjpeg", to],
  ];
  const run = (args: readonly string[], stop: AbortSignal) =>
    runProgram([...ffmpeg, ...args], { timeoutMs, maxOutputBytes, withoutSecrets: true }, stop);

  return {
    async clip(from, { atMs, endMs }, to, stop) {
      const length = ["-t", seconds(endMs - atMs), "-map", "0:v:0", "-map", "0:a:0?", ...bare];
      const video = ["-c:v", "libx264", "-preset", "veryfast", "-pix_fmt", "yuv420p", "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2"];
      const audio = ["-c:a", "aac", "-ac", "2"];
      const file = ["-movflags", "+faststart", "-fs", String(maxBytes), "-f", "mp4", to];
      await run([...quiet, ...input(from, atMs), ...length, ...video, ...audio, ...file], stop);
    },
    async still(from, atMs, to, small, stop) {
      const outputs = [...image(widths.whole, to), ...image(widths.small, small)];
      await run([...quiet, ...input(from, withinFrames(from, atMs)), ...outputs], stop);
    },
  };
}
