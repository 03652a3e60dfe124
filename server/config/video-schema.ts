import { z } from "zod";
import { bytes, day, described, GiB, hour, integer, KiB, MiB, minute, ms, second, TiB, year } from "./fields.ts";

/** The settings of what becomes of videos: uploads, transcripts and clips. */
export const uploads = z.strictObject({
  videoMaxBytes: bytes("Largest video a playtester may upload.", 8 * GiB, KiB, TiB),
  buildMaxBytes: bytes("Largest build an owner may upload.", 32 * GiB, KiB, TiB),
  maxOpenPerAccount: integer("Unfinished uploads an account may have at once.", 20, 1, 10_000, "uploads"),
  accountMaxBytes: bytes(
    "What an account may store: its builds, videos that are not submitted yet, and all that its unfinished uploads will have.",
    512 * GiB,
    KiB,
    1024 * TiB,
  ),
  minFreeBytes: bytes(
    "Free space on the disk of the data folder that uploads leave to the rest of the server. An upload that does not fit gets 503.",
    GiB,
    0,
    1024 * TiB,
  ),
  expireMs: ms("An upload that is not finished this long after its start is removed.", 7 * day, minute, year),
  idleMs: ms("An upload or download is cut when no data moves for this long. It can be resumed.", minute, second, hour),
});

export const transcriber = z.strictObject({
  command: described(
    z
      .array(z.string())
      .refine(([program]) => program !== "")
      .default([]),
    "Program and arguments that print the transcript of a video. {video} stands for the path of the video; without it the path is the last argument. Empty: no transcripts.",
    { expected: "a list of strings: the program, then its arguments" },
  ),
  timeoutMs: ms("How long the program may run for one video.", 2 * hour, second, 7 * day),
  maxOutputBytes: bytes("Longest transcript taken from the program.", 8 * MiB, KiB, 256 * MiB),
  parallel: integer("Videos transcribed at once.", 1, 1, 64, "videos"),
});

export const clips = z.strictObject({
  ffmpeg: described(
    z
      .array(z.string())
      .refine(([program]) => program !== "")
      .default([]),
    'The program ffmpeg, which cuts clips and still images out of videos, such as ["ffmpeg"] or ["nice", "ffmpeg"]. It needs the encoder libx264. Empty: no clips and images.',
    { expected: "a list of strings: the program, then its first arguments" },
  ),
  timeoutMs: ms("How long the program may run for one clip or image.", 15 * minute, second, day),
  maxBytes: bytes("Largest clip.", 256 * MiB, KiB, 16 * GiB),
  parallel: integer("Clips and images cut at once.", 1, 1, 64, "clips"),
});
