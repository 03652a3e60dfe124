import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Context } from "../../cli/define.ts";
import { DryRun, failure, usage } from "../../errors.ts";
import { temporaryFolder } from "../../io/files/temporary.ts";
import { downloadVideo } from "./download.ts";

/** What runs where `--with` is missing is chosen by the owner: nothing is bundled. Both print WebVTT or SubRip of the file they get. */
export const presets = `Name a program that prints WebVTT or SubRip (SRT) for a video, such as one of these scripts, which need ffmpeg and a model:

whisper.cpp:
  #!/bin/sh
  set -eu
  ffmpeg -nostdin -loglevel error -i "$1" -ar 16000 -ac 1 audio.wav
  whisper-cli -m /opt/whisper/ggml-base.en.bin -f audio.wav -ovtt -of audio -np >/dev/null
  cat audio.vtt

sherpa-onnx:
  #!/bin/sh
  set -eu
  ffmpeg -nostdin -loglevel error -i "$1" -ar 16000 -ac 1 audio.wav
  python3 /opt/sherpa-onnx/python-api-examples/generate-subtitles.py --silero-vad-model=/opt/sherpa-onnx/silero_vad.onnx \\
    --sense-voice=/opt/sherpa-onnx/model.onnx --tokens=/opt/sherpa-onnx/tokens.txt audio.wav >&2
  cat audio.srt

Save one as transcribe.sh, make it executable, then run this again with --with ./transcribe.sh`;

/** More than a server takes, which counts characters. */
const maxOutputBytes = 2_000_000;
/** Two hours: a slow computer takes about as long as the video. */
const timeLimitSeconds = 2 * 3600;

/** A program and its arguments, split at spaces: no shell parses them. `{video}` stands for the file, which else is the last argument. */
function commandFor(command: string, video: string): [string, ...string[]] {
  const [program, ...args] = command.split(/\s+/).filter(Boolean);
  if (program === undefined) throw usage("--with must name a program.", presets);
  const placed = args.map((argument) => argument.replaceAll("{video}", () => video));
  return args.some((argument) => argument.includes("{video}")) ? [program, ...placed] : [program, ...args, video];
}

/** Downloads the video of a slot, runs the owner's program on it, and returns what it prints. The video is removed afterwards. */
export async function makeTranscript(
  ctx: Context,
  id: string,
  { command, withinSeconds = timeLimitSeconds }: { command: string; withinSeconds?: number | undefined },
): Promise<string> {
  const { slot } = await ctx.api().getSlot({ params: { id } });
  if (slot.submission === null) throw failure("This slot has no video yet. Nothing was changed.");
  commandFor(command, "");
  if (ctx.flags.dryRun) throw new DryRun([]);
  const folder = await temporaryFolder("transcript");
  try {
    const video = await downloadVideo(ctx, slot, join(folder, "video"));
    const { programOutput } = await import("../../io/program.ts");
    ctx.out.note(`Running ${command} …`);
    return await programOutput(ctx.io, commandFor(command, video), {
      cwd: dirname(video),
      timeoutMs: withinSeconds * 1000,
      maxOutputBytes,
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
