import * as z from "zod";
import { publishers } from "../../src/contract/publications/publishers.ts";
import { addressForm, parseBucketAddress } from "./blobs-address.ts";
import {
  bytes,
  day,
  described,
  GiB,
  hour,
  integer,
  KiB,
  list,
  MiB,
  matching,
  minute,
  ms,
  orNull,
  plainText,
  second,
  TiB,
  toggle,
  webUrl,
  year,
} from "./fields.ts";

/** The settings of what becomes of videos: uploads, transcripts, clips and publishing. */

const memory = (description: string, initial: number) =>
  described(z.nullable(z.int().check(z.gte(128 * MiB), z.lte(TiB))).default(initial), description, {
    unit: "bytes",
    expected: "134217728 (128 MiB) to 1099511627776 (1 TiB), or null",
  });

/** The names of variables, but for those in which the server gets its own secrets. */
const isPassable = (name: string) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !/^(PLAYTEST|STRIPE|DATABASE)_/i.test(name);
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

export const blobs = z.strictObject({
  address: orNull(
    matching((text) => parseBucketAddress(text) !== undefined),
    `The bucket that keeps videos, builds, transcripts, clips and images: ${addressForm}. \`--blobs\` sets it for one run. Its credentials are those of the environment or of ~/.aws/credentials. Null: the folder blobs in the data folder.`,
    { variable: "PLAYTEST_BLOBS", expected: `${addressForm}, or null` },
  ),
  spoolMaxBytes: bytes(
    "How much may wait on the local disk while the bucket is away or slow. Further uploads get 503 until it is less.",
    64 * GiB,
    MiB,
    1024 * TiB,
  ),
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
  memoryBytes: memory(
    "The most memory that each process of the program may allocate, on Linux. A transcription that needs more fails. Null: no limit.",
    8 * GiB,
  ),
  environment: list(
    matching(isPassable),
    "Environment variables of the server that the program gets, such as CUDA_VISIBLE_DEVICES or HF_HOME. It always has PATH and LANG, and nothing else: it reads strangers' videos.",
    { expected: "a list of names of environment variables, none of which begins with PLAYTEST_, STRIPE_ or DATABASE_" },
  ),
  parallel: integer("Videos transcribed at once.", 1, 1, 64, "videos"),
});

export const clips = z.strictObject({
  ffmpeg: described(
    z
      .array(z.string())
      .refine(([program]) => program !== "")
      .default([]),
    'The program ffmpeg, which cuts clips and still images out of videos, such as ["ffmpeg"]. It needs the encoder libx264. Empty: no clips and images.',
    { expected: "a list of strings: the program, then its first arguments" },
  ),
  timeoutMs: ms("How long the program may run for one clip.", 15 * minute, second, day),
  stillTimeoutMs: ms("How long the program may run for one image.", 2 * minute, second, day),
  measureTimeoutMs: ms("How long the program may run to measure one video.", 2 * hour, second, 7 * day),
  memoryBytes: memory(
    "The most memory that the program may allocate, on Linux. What needs more is not cut. 4K needs about 700 MiB. Null: no limit.",
    GiB,
  ),
  threads: integer("Threads that read the video, and as many that write the clip.", 2, 1, 64, "threads"),
  maxPixels: integer(
    "Largest picture of a video that is read: its width times its height. The default has room for 4K, 5K and 7680 × 2160.",
    4096 * 4096,
    640 * 480,
    2 ** 30,
    "pixels",
  ),
  maxSidePixels: integer("Width and height of a clip, at most. A larger picture is scaled down.", 1920, 240, 8192, "pixels"),
  maxBytes: bytes("Largest clip.", 256 * MiB, KiB, 16 * GiB),
  maxPendingPerAccount: integer(
    "Clips and images of notes that may be waiting for one account. Requests for more get 409 until some are cut.",
    30,
    1,
    100_000,
    "clips and images",
  ),
  parallel: integer("Clips cut at once, and beside them as many images.", 1, 1, 64, "clips"),
});

const youtube = z.strictObject({
  clientId: orNull(
    z.string().min(1),
    "OAuth client of your Google project, which must be audited by Google to publish. Null: no YouTube.",
    {
      variable: "PLAYTEST_YOUTUBE_CLIENT_ID",
      expected: "a non-empty string, or null",
    },
  ),
  clientSecret: orNull(z.string().min(1), "Secret of this client.", {
    variable: "PLAYTEST_YOUTUBE_CLIENT_SECRET",
    secret: true,
    expected: "a non-empty string, or null",
  }),
  privacy: described(z.enum(["public", "unlisted"]).default("public"), "Whether videos on YouTube are listed."),
  apiUrl: webUrl("Another address for YouTube's API, for tests. Null: Google's own."),
});

const peertube = z.strictObject({
  privacy: described(z.enum(["public", "unlisted"]).default("public"), "Whether videos on PeerTube are listed."),
});

export const publishing = z.strictObject({
  to: described(
    z.enum(publishers).default("own"),
    "Where the videos of public playtests are published. `own`: on the server's own pages.",
  ),
  maxWaitMs: ms(
    "A video that its platform has not published within this time is on the server's own page instead, and its playtester is paid.",
    3 * day,
    minute,
    30 * day,
  ),
  indexable: toggle("Whether search engines may list the pages of published videos.", true),
  parallel: integer("Videos published at once.", 2, 1, 64, "videos"),
  title: described(
    plainText(200).default("{game}: a playtest by {player}"),
    "Title of a video on a platform. {game} and {player} stand for names.",
    { expected: "text of up to 200 characters" },
  ),
  description: described(
    z.string().max(2000).default("{player} plays {game}. {link}"),
    "Description of a video on a platform. {link} stands for the page of the game.",
    { expected: "text of up to 2000 characters" },
  ),
  youtube: described(youtube.prefault({}), "YouTube"),
  peertube: described(peertube.prefault({}), "PeerTube"),
});
