import { arg, col, define, detail, flag, type ItemOf, viewOf } from "../../../cli/define.ts";
import { longestClipMs } from "../../../contract/sharing/kinds.ts";
import { parsePosition, positionText } from "../../../contract/text/position.ts";
import { usage } from "../../../errors.ts";
import { slotArg } from "../queue.ts";
import { finished, save } from "./cutting.ts";

const span = ({ atMs, endMs }: Record<string, unknown>) => `${positionText(atMs as number)}-${positionText(endMs as number)}`;

const clipView = viewOf<ItemOf<"getClip">>([
  detail("id"),
  detail("name"),
  detail("at", span),
  detail("status"),
  detail("size"),
  detail("url:downloadUrl"),
  detail("image:posterUrl"),
]);

const clipsView = viewOf<ItemOf<"listClips">>(
  [
    "id",
    "name",
    col("at", span),
    "status",
    "size",
    "created:createdAt",
    detail("slot:slotId"),
    detail("url:downloadUrl"),
    detail("image:posterUrl"),
  ],
  { empty: "This video has no clips." },
);

/** `12:30-12:55` in milliseconds. */
function spanOf(text: string): { atMs: number; endMs: number } {
  const [from = "", to = "", ...rest] = text.split("-");
  const [atMs, endMs] = [parsePosition(from), parsePosition(to)];
  if (atMs === undefined || endMs === undefined || rest.length > 0)
    throw usage(`${JSON.stringify(text)} is not a part of a video.`, "Example: 12:30-12:55.");
  if (endMs <= atMs) throw usage("The end must be after the start. Nothing was made.");
  if (endMs - atMs > longestClipMs) throw usage("A clip can be at most 5 minutes long. Nothing was made.");
  return { atMs, endMs };
}

const clip = define({
  name: "clip",
  summary: "Cut a clip out of a video",
  description:
    "The server cuts it in the background: `playtest review clips list` shows when it is ready, with a link that works for one hour. --save waits and saves the file.",
  args: {
    slot: slotArg(),
    time: { ...arg.text("Part of the video, such as 12:30-12:55; at most 5 minutes"), field: ["atMs", "endMs"] },
  },
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
    const refetch = async () => (await ctx.api().getClip({ params: { id: made.clip.id } })).clip;
    const later = `See \`playtest review clips list ${made.clip.slotId}\` later.`;
    const ready = await finished(ctx, { what: `clip ${made.clip.id}`, found: made.clip, refetch, later });
    ctx.out.note(`Saved ${await save(ctx, { refetch, size: ready.size, output: flags.save, extension: ".mp4" })}`);
    return ctx.item({ clip: ready }, clipView);
  },
});

const clips = define({
  name: "clips list",
  aliases: ["clips"],
  summary: "List the clips of a video",
  args: { slot: slotArg() },
  operation: "listClips",
  list: true,
  examples: ["playtest review clips list SLOT", "playtest review clips list SLOT --json=name,downloadUrl"],
  view: clipsView,
});

const clipsDelete = define({
  name: "clips delete",
  summary: "Delete a clip",
  args: { clip: arg.id("Id of the clip") },
  operation: "deleteClip",
  confirm: () => "Delete this clip?",
  examples: ["playtest review clips delete CLIP --yes"],
  run: async ({ args }, ctx) => ctx.item(await ctx.api().deleteClip({ params: { id: args.clip } })),
});

export const clipCommands = [clip, clips, clipsDelete];
