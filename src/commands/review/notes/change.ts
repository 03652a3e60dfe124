import { define, flag } from "../../../cli/define.ts";
import { usage } from "../../../errors.ts";
import { changeLocal, findLocal, localNotes, removeLocal } from "../../shared/notes/local.ts";
import { span } from "../../shared/video/position.ts";
import { described, momentView, noteArg } from "./view.ts";

export const edit = define({
  name: "notes edit",
  summary: "Change a note",
  args: { note: noteArg },
  flags: {
    at: flag.text("Position in the video, such as 12:41, or a span, such as 12:30-12:55", {
      value: "TIME",
      field: ["atMs", "endMs"],
    }),
    text: flag.text("What you observed"),
    ...described,
  },
  operation: "updateMoment",
  examples: ["playtest review notes edit NOTE --severity 4", "playtest review notes edit NOTE --tag onboarding --tag menu"],
  async run({ args, flags }, ctx) {
    const { at: time, text, kind, severity, tag: tags } = flags;
    const body = {
      ...(time !== undefined && { endMs: null, ...span(time, "Nothing was changed.") }),
      ...(text !== undefined && { text }),
      ...(kind && { kind }),
      ...(severity && { severity }),
      ...(tags.length > 0 && { tags }),
    };
    if (Object.keys(body).length === 0)
      throw usage("Nothing to change was given. Nothing was changed.", "Pass --text, for example.");
    if (findLocal(localNotes(ctx), args.note))
      return ctx.item({ moment: await changeLocal(ctx, args.note, body) }, momentView(true));
    return ctx.item(await ctx.api().updateMoment({ params: { id: args.note }, body }), momentView());
  },
});

export const remove = define({
  name: "notes delete",
  summary: "Delete a note",
  args: { note: noteArg },
  operation: "deleteMoment",
  confirm: () => "Delete this note?",
  examples: ["playtest review notes delete NOTE --yes"],
  async run({ args }, ctx) {
    if (!findLocal(localNotes(ctx), args.note)) return ctx.item(await ctx.api().deleteMoment({ params: { id: args.note } }));
    await removeLocal(ctx, args.note);
    return ctx.item({ message: "The note on this computer is deleted." });
  },
});
