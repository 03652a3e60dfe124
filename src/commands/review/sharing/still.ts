import { define, detail, flag, type ItemOf, viewOf } from "../../../cli/define.ts";
import { positionText } from "../../../contract/text/position.ts";
import { noteArg } from "../notes/view.ts";
import { finished, save } from "./cutting.ts";

const stillView = viewOf<ItemOf<"getStill">>([
  detail("note:momentId"),
  detail("slot:slotId"),
  detail("at", ({ atMs }) => positionText(atMs as number)),
  detail("status"),
  detail("size"),
  detail("url:downloadUrl"),
]);

const still = define({
  name: "still",
  summary: "Take a still image of the video at a note",
  description:
    "The server cuts it out of the video in the background, and shows it with the note. An image that is there already is kept. --save waits and saves the file.",
  args: { note: noteArg },
  flags: { save: flag.text("Wait until the image is cut, and save it to this file", { value: "FILE" }) },
  operation: ["putStill", "getStill"],
  examples: ["playtest review still NOTE", "playtest review still NOTE --save door.jpg"],
  exits: [8],
  async run({ args, flags }, ctx) {
    const params = { id: args.note };
    const made = await ctx.api().putStill({ params });
    if (flags.save === undefined) return ctx.item(made, stillView);
    const refetch = async () => (await ctx.api().getStill({ params })).still;
    const later = "Run the same command again later.";
    const ready = await finished(ctx, { what: "image", found: made.still, refetch, later });
    ctx.out.note(`Saved ${await save(ctx, { refetch, size: ready.size, output: flags.save, extension: ".jpg" })}`);
    return ctx.item({ still: ready }, stillView);
  },
});

const stillDelete = define({
  name: "still delete",
  summary: "Delete the still image of a note",
  args: { note: noteArg },
  operation: "deleteStill",
  confirm: () => "Delete this image? The note stays.",
  examples: ["playtest review still delete NOTE --yes"],
  run: async ({ args }, ctx) => ctx.item(await ctx.api().deleteStill({ params: { id: args.note } })),
});

export const stillCommands = [still, stillDelete];
