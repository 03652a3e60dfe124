import { arg, type Context, define, flag } from "../../../cli/define.ts";
import { CliError, exitCodes, partlyDone } from "../../../errors.ts";
import type { Moment } from "../../shared/notes/local.ts";
import { saveNote } from "../../shared/notes/local.ts";
import { span } from "../../shared/video/position.ts";
import { slotArg } from "../queue.ts";
import { described, momentView } from "./view.ts";

export const note = define({
  name: "note",
  summary: "Note what happens at a moment of a video",
  description:
    "A note has a position in the video, a kind, a severity and tags, so that notes of many videos can be listed and compared: see `playtest review notes list`. " +
    "Playtesters do not see notes. A server that does not store notes leaves them on this computer; `playtest review notes push` uploads them later.",
  args: {
    slot: slotArg(),
    time: {
      ...arg.text("Position in the video, such as 12:41, or a span, such as 12:30-12:55"),
      field: ["atMs", "endMs"],
    },
    text: arg.text("What you observed"),
  },
  flags: { ...described, still: flag.toggle("Also take a still image of the video there; `playtest review still` saves it") },
  operation: ["createMoment", "putStill"],
  examples: [
    'playtest review note SLOT 12:41 "lost in the tutorial" --kind confusion --tag onboarding',
    'playtest review note SLOT 3:05-3:40 "falls through the floor" --kind bug --severity 4',
    'playtest review note SLOT 3:05 "falls through the floor" --still',
  ],
  exits: [exitCodes.partial],
  async run({ args, flags }, ctx) {
    const { kind, severity, tag: tags, still } = flags;
    const body = {
      ...span(args.time, "Nothing was noted."),
      text: args.text,
      tags,
      ...(kind && { kind }),
      ...(severity && { severity }),
    };
    const { moment, local } = await saveNote(ctx, args.slot, body);
    if (local && still) ctx.out.warn("No image was taken: it needs a server that stores notes.");
    if (local || !still) return ctx.item({ moment }, momentView(local));
    const { image, failure } = await takeStill(ctx, moment.id);
    return { ...ctx.item({ moment: { ...moment, still: image } }, momentView()), ...(failure && { failure }) };
  },
});

/** Takes the image of a note that was saved just now. What goes wrong does not take the note away. */
async function takeStill(ctx: Context, id: string): Promise<{ image: Moment["still"]; failure?: CliError }> {
  try {
    const { status, limit, downloadUrl, thumbnailUrl } = (await ctx.api().putStill({ params: { id } })).still;
    return { image: { status, limit, downloadUrl, thumbnailUrl } };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const message = `The note is saved. Its image was not taken: ${error.message}`;
    const hint = `Do not note it again. To try the image again, run \`playtest review still ${id}\`.`;
    return { image: null, failure: partlyDone(message, hint) };
  }
}
