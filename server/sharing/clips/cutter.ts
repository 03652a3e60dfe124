import { runProgram } from "../../lib/program.ts";

/** Takes a part out of a video file. Rejects with ProgramFailed, or with the signal's reason when stopped. */
export interface Cutter {
  /** Writes the part between two positions (ms) to `to`, an MP4 file. */
  clip(from: Source, part: { atMs: number; endMs: number }, to: string, stop: AbortSignal): Promise<void>;
}

/** A video file and its media type by signature. */
export interface Source {
  path: string;
  contentType: string;
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

const seconds = (ms: number) => (ms / 1000).toFixed(3);

/** Cuts with ffmpeg, which may open local files only. */
export function createFfmpegCutter({ ffmpeg, timeoutMs, maxBytes }: CutterOptions): Cutter {
  const quiet = ["-nostdin", "-hide_banner", "-loglevel", "error", "-y", "-protocol_whitelist", "file"];
  const input = ({ path, contentType }: Source, atMs: number) => [
    "-f",
    demuxers[contentType] ?? "mov",
    "-ss",
    seconds(atMs),
    "-i",
    path,
  ];
  const run = (args: readonly string[], stop: AbortSignal) =>
    runProgram([...ffmpeg, ...args], { timeoutMs, maxOutputBytes, withoutSecrets: true }, stop);

  return {
    async clip(from, { atMs, endMs }, to, stop) {
      const length = ["-t", seconds(endMs - atMs), "-map", "0:v:0", "-map", "0:a:0?", "-map_metadata", "-1"];
      const video = ["-c:v", "libx264", "-preset", "veryfast", "-pix_fmt", "yuv420p", "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2"];
      const audio = ["-c:a", "aac", "-ac", "2"];
      const file = ["-movflags", "+faststart", "-fs", String(maxBytes), "-f", "mp4", to];
      await run([...quiet, ...input(from, atMs), ...length, ...video, ...audio, ...file], stop);
    },
  };
}
