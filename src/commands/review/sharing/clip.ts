import { extname, isAbsolute, join } from "node:path";
import type { Data } from "../../../api/client.ts";
import { webUrl } from "../../../api/url.ts";
import { arg, type Context, col, define, detail, flag, type View } from "../../../cli/define.ts";
import { longestClipMs } from "../../../contract/sharing/kinds.ts";
import { parsePosition, positionText } from "../../../contract/text/position.ts";
import { failure, stillPending, usage } from "../../../errors.ts";
import { download } from "../../../io/files/download.ts";
import { slotArg } from "../queue.ts";

type Clip = Data<"getClip">["clip"];

const span = ({ atMs, endMs }: Record<string, unknown>) => `${positionText(atMs as number)}-${positionText(endMs as number)}`;

const clipView: View = {
  columns: [
    detail("id", "id", "id"),
    detail("name", "name"),
    detail("at", span),
    detail("status", "status", "status"),
    detail("size", "size", "bytes"),
    detail("url", "downloadUrl"),
  ],
};

const clipsView: View = {
  columns: [
    col("id", "id", "id"),
    col("name", "name"),
    col("at", span),
    col("status", "status", "status"),
    col("size", "size", "bytes"),
    col("created", "createdAt", "ago"),
    detail("slot", "slotId", "id"),
    detail("url", "downloadUrl"),
  ],
  empty: "This video has no clips.",
};

/** `12:30-12:55` in milliseconds. */
function spanOf(text: string): { atMs: number; endMs: number } {
  const [from = "", to = "", ...rest] = text.split("-");
  const [atMs, endMs] = [parsePosition(from), parsePosition(to)];
  if (atMs === undefined || endMs === undefined || rest.length > 0)
    throw usage(`TIME: ${JSON.stringify(text)} is not a part of a video.`, "Example: 12:30-12:55.");
  if (endMs <= atMs) throw usage("TIME: the end must be after the start. Nothing was made.");
  if (endMs - atMs > longestClipMs) throw usage("TIME: a clip can be at most 5 minutes long. Nothing was made.");
  return { atMs, endMs };
}

const pollMs = 1_000;
const patienceMs = 10 * 60_000;

/** The clip when it is ready. Exit code 8 if that takes long, 1 if it could not be cut. */
async function finished(ctx: Context, clip: Clip): Promise<Clip> {
  const progress = await ctx.progress();
  const until = ctx.now() + patienceMs;
  let found = clip;
  try {
    while (found.status === "pending" && ctx.now() < until) {
      progress.update("Cutting the clip");
      await ctx.sleep(pollMs);
      found = (await ctx.api().getClip({ params: { id: clip.id } })).clip;
    }
  } finally {
    progress.done();
  }
  if (found.status === "pending")
    throw stillPending(`Clip ${clip.id} is still being cut.`, `See \`playtest review clips list ${clip.slotId}\` later.`);
  if (found.status === "failed")
    throw failure(`Clip ${clip.id} could not be cut.`, "The log of the server says why: ask its operator.");
  return found;
}

/** Saves the file of a clip under the path that --save names. */
async function save(ctx: Context, clip: Clip, output: string): Promise<string> {
  const path = isAbsolute(output) ? output : join(ctx.io.cwd(), output);
  const extension = extname(path) || ".mp4";
  const link = async () => webUrl((await ctx.api().getClip({ params: { id: clip.id } })).clip.downloadUrl ?? "").href;
  const { send, sleep, signal } = ctx;
  const timeout = (ctx.settings().get("timeout")?.value ?? 30) * 1000;
  const attempts = ctx.settings().get("retries")!.value + 1;
  const source = { size: clip.size ?? undefined, link, send, sleep, signal, timeout, attempts, onBytes: () => {} };
  return download({ ...source, stem: path.slice(0, path.length - extname(path).length), extension, otherwise: ".mp4" });
}

export const clip = define({
  name: "clip",
  summary: "Cut a clip out of a video",
  description:
    "The server cuts it in the background: `playtest review clips list` shows when it is ready, with a link that works for one hour. --save waits and saves the file.",
  args: { slot: slotArg(), time: arg.text("Part of the video, such as 12:30-12:55; at most 5 minutes") },
  flags: {
    name: flag.text("Name of the clip (default: its position)", { value: "NAME" }),
    save: flag.text("Wait until the clip is cut, and save it to this file", { value: "FILE" }),
  },
  operation: ["createClip", "getClip"],
  examples: [
    "playtest review clip SLOT 12:30-12:55 --name 'The first door'",
    "playtest review clip SLOT 12:30-12:55 --save door.mp4",
  ],
  exits: [8],
  async run({ args, flags }, ctx) {
    const body = { ...spanOf(args.time), ...(flags.name !== undefined && { name: flags.name }) };
    const made = await ctx.api().createClip({ params: { id: args.slot }, body });
    if (flags.save === undefined) return ctx.item(made, clipView);
    const ready = await finished(ctx, made.clip);
    ctx.out.note(`Saved ${await save(ctx, ready, flags.save)}`);
    return ctx.item({ clip: ready }, clipView);
  },
});

export const clips = define({
  name: "clips list",
  aliases: ["clips"],
  summary: "List the clips of a video",
  args: { slot: slotArg() },
  operation: "listClips",
  list: true,
  examples: ["playtest review clips list SLOT", "playtest review clips list SLOT --json=name,downloadUrl"],
  run: async ({ args, range }, ctx) => ctx.list("listClips", { params: { id: args.slot } }, range, clipsView),
});

export const clipsDelete = define({
  name: "clips delete",
  summary: "Delete a clip",
  args: { clip: arg.id("Id of the clip") },
  operation: "deleteClip",
  confirm: () => "Delete this clip?",
  examples: ["playtest review clips delete CLIP --yes"],
  run: async ({ args }, ctx) => ctx.item(await ctx.api().deleteClip({ params: { id: args.clip } })),
});
