import { isAbsolute, join } from "node:path";
import type { Data } from "../../api/client.ts";
import { type Context, define, flag, prose, viewOf } from "../../cli/define.ts";
import { playtestNamed } from "../../cli/names.ts";
import { transcriptExtensions, videoExtensions } from "../../contract/files/media.ts";
import { CliError, exitCodes, failure, usage } from "../../errors.ts";
import { type Download, download as fetchFile, finished, other, partSize } from "../../io/files/download.ts";
import { createMeter, type Meter } from "../../io/meter.ts";
import { bytes, shortId } from "../../io/text.ts";
import { conclude, partialFailure, several } from "../shared/several.ts";
import { downloadWay } from "../shared/video/download-way.ts";
import { checkTemplate, defaultTemplate, fileName } from "./file-name.ts";
import { slotIds, waiting } from "./queue.ts";

type Slot = Data<"getSlot">["slot"];

type Saved = {
  id: string;
  path: string;
  bytes: number;
  skipped: boolean;
  transcript: string | null;
};

const view = viewOf<Saved>(["id", prose("path"), "bytes", "skipped", "transcript"]);

const nameValues = (slot: Slot) => ({
  id: slot.id,
  game: slot.game.name,
  playtester: slot.playtester?.displayName ?? "nobody",
  playtest: slot.requestId,
  status: slot.status,
  date: (slot.submission?.createdAt ?? slot.createdAt).slice(0, 10),
});

/** The slots of a playtest that have a video. */
async function withVideo(ctx: Context, playtest: string) {
  const ids: string[] = [];
  for await (const { items } of ctx.pages("listSlots", { params: { id: playtest } }, { all: true }))
    ids.push(...(items as Slot[]).filter(({ submission }) => submission !== null).map(({ id }) => id));
  return ids;
}

interface Job {
  ctx: Context;
  dir: string;
  template: string;
  force: boolean;
  transcripts: boolean;
  meter: Meter;
  report(): void;
}

function source(
  job: Job,
  link: () => Promise<string>,
  size: number | undefined,
): Omit<Download, "stem" | "extension" | "otherwise"> {
  const onBytes = (count: number) => {
    job.meter.add(count);
    job.report();
  };
  return { size, link, way: downloadWay(job.ctx), onBytes };
}

async function saveVideo(
  job: Job,
  slot: Slot,
  stem: string,
  extension: string | undefined,
): Promise<Omit<Saved, "id" | "transcript">> {
  const size = slot.submission?.videoFileSize ?? undefined;
  const extensions = extension ? [extension] : videoExtensions;
  const whole = await finished(stem, extensions, size);
  if (whole !== undefined && !job.force) return { path: whole, bytes: size ?? 0, skipped: true };
  const conflict = job.force ? undefined : await other(stem, extensions, size);
  if (conflict !== undefined)
    throw failure(`${conflict} already exists with a different size. It was not changed.`, "Pass --force to replace it.");
  const link = async () => (await job.ctx.api().getSlotDownloadUrl({ params: { id: slot.id } })).downloadUrl;
  // A slot gets another video when its playtester submits again.
  const named = { stem, version: shortId(slot.submission!.id) };
  job.meter.expect(Math.max(0, (size ?? 0) - (await partSize(named))));
  const path = await fetchFile({ ...source(job, link, size), ...named, extension, otherwise: ".mp4" });
  return { path, bytes: size ?? 0, skipped: false };
}

/** Saves the video of a slot to `stem` with the extension of its kind, and shows how far it is. Returns the path. */
export async function downloadVideo(ctx: Context, slot: Slot, stem: string): Promise<string> {
  const progress = await ctx.progress();
  const meter = createMeter(ctx.now);
  const report = () => progress.update(`Video ${meter.text()}`, meter.fraction);
  const job: Job = { ctx, dir: "", template: "", force: true, transcripts: false, meter, report };
  const { path } = await saveVideo(job, slot, stem, undefined).finally(() => progress.done());
  return path;
}

/** Saves the transcript beside the video, unless there is one. Null if there is no transcript yet. */
async function saveTranscript(job: Job, slot: Slot, video: string): Promise<string | null> {
  const stem = `${video}.transcript`;
  const saved = job.force ? undefined : await finished(stem, transcriptExtensions, undefined);
  if (saved !== undefined) return saved;
  const link = async () => (await job.ctx.api().getSlotTranscript({ params: { id: slot.id } })).downloadUrl;
  try {
    return await fetchFile({
      ...source(job, link, undefined),
      stem,
      extension: undefined,
      otherwise: ".txt",
    });
  } catch (error) {
    if (!(error instanceof CliError) || error.exitCode !== exitCodes.notFound) throw error;
    job.ctx.out.warn(`Slot ${slot.id} has no transcript yet.`);
    return null;
  }
}

async function save(job: Job, slot: Slot): Promise<Saved> {
  if (slot.submission === null) throw failure(`Slot ${slot.id} is ${slot.status ?? "in an unknown state"} and has no video.`);
  const { stem, extension } = fileName(job.template, nameValues(slot));
  const path = isAbsolute(job.dir) ? join(job.dir, stem) : join(job.ctx.io.cwd(), job.dir, stem);
  const video = await saveVideo(job, slot, path, extension);
  const transcript = job.transcripts ? await saveTranscript(job, slot, path) : null;
  return { id: slot.id, ...video, transcript };
}

export const download = define({
  name: "download",
  summary: "Download videos, resuming partial files",
  description: "Complete files are skipped. A partial file ends in .part; the next run resumes it.",
  args: { slots: slotIds("all", "playtest") },
  flags: {
    all: flag.toggle("Download all videos that are waiting for review"),
    playtest: flag.text("Download all videos of this playtest", { value: "ID" }),
    dir: flag.text("Directory to write to (default: current directory)", { value: "DIR" }),
    nameTemplate: flag.text(`File name, from {id} {game} {playtester} {playtest} {status} {date} (default ${defaultTemplate})`, {
      value: "TEMPLATE",
    }),
    parallel: flag.integer("Maximum number of downloads in parallel (default 4)", { min: 1, max: 32 }),
    transcripts: flag.toggle("Also download the transcripts"),
    force: flag.toggle("Replace files that exist, transcripts too"),
  },
  operation: ["getSlotDownloadUrl", "getSlot", "getSlotTranscript", "listSubmissions", "listSlots"],
  examples: [
    "playtest review download SLOT",
    "playtest review download --all --dir videos --transcripts",
    "playtest review download --playtest PLAYTEST --name-template '{game}/{date}-{playtester}-{id}' --json",
  ],
  exits: [11],
  async run({ args, flags }, ctx) {
    const selections = [args.slots.length > 0, flags.all, flags.playtest !== undefined].filter(Boolean).length;
    if (selections !== 1) throw usage("Pass either slot ids, --all or --playtest.");
    const template = checkTemplate(flags.nameTemplate ?? defaultTemplate);
    const find =
      flags.playtest === undefined
        ? async () => (await waiting(ctx)).map(({ slot }) => slot.id)
        : async () => withVideo(ctx, await playtestNamed(ctx, flags.playtest!));
    const ids = args.slots.length > 0 ? [...new Set(args.slots)] : await find();
    const progress = await ctx.progress();
    const meter = createMeter(ctx.now);
    let done = 0;
    const report = () => {
      const what = ids.length === 1 ? "Video" : `${done} of ${ids.length} videos,`;
      progress.update(`${what} ${meter.text()}`, meter.fraction);
    };
    const job: Job = { ctx, dir: flags.dir ?? ".", template, force: flags.force, transcripts: flags.transcripts, meter, report };
    const results = await several(
      ctx,
      ids,
      async (id) => {
        const { slot } = await ctx.api().getSlot({ params: { id } });
        const saved = await save(job, slot);
        done++;
        report();
        return saved;
      },
      ({ path, bytes: size, skipped }) => `${path}  ${bytes(size)}${skipped ? "  (already downloaded)" : ""}`,
      flags.parallel ?? 4,
    ).finally(() => progress.done());
    if (ids.length === 0) ctx.out.note("No videos to download.");
    const result = { downloaded: results.done, failed: results.failed };
    return conclude(ctx, result, results.done, view, partialFailure(results, "video", "downloaded"));
  },
});
