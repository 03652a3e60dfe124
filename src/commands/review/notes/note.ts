import { arg, define } from "../../../cli/define.ts";
import { slotArg } from "../queue.ts";
import { saveNote } from "./local.ts";
import { described, momentView, span } from "./view.ts";

export const note = define({
  name: "note",
  summary: "Note what happens at a moment of a video",
  description:
    "A note has a position in the video, a kind, a severity and tags, so that notes of many videos can be listed and compared: see `playtest review notes list`. " +
    "Playtesters do not see notes. A server that does not store notes leaves them on this computer; `playtest review notes push` uploads them later.",
  args: {
    slot: slotArg(),
    time: arg.text("Position in the video, such as 12:41, or a span, such as 12:30-12:55"),
    text: arg.text("What you observed"),
  },
  flags: described,
  operation: "createMoment",
  examples: [
    'playtest review note SLOT 12:41 "lost in the tutorial" --kind confusion --tag onboarding',
    'playtest review note SLOT 3:05-3:40 "falls through the floor" --kind bug --severity 4',
  ],
  async run({ args, flags }, ctx) {
    const { kind, severity, tag: tags } = flags;
    const body = { ...span(args.time), text: args.text, tags, ...(kind && { kind }), ...(severity && { severity }) };
    const { moment, local } = await saveNote(ctx, args.slot, body);
    return ctx.item({ moment }, momentView(local));
  },
});
