import { type Context, define, flag } from "../../../cli/define.ts";
import { CliError, DryRun, exitCodes, notFound, usage } from "../../../errors.ts";
import { bodyOf, checked, findLocal, type LocalNote, localNotes, type NoteBody } from "./local.ts";
import { described, type Moment, momentView, noteArg, span } from "./view.ts";

/** Throws if an upload of the note has begun: the server may have it as it was. */
function requireUnsent({ sent }: LocalNote): void {
  if (!sent) return;
  throw new CliError("CONFLICT", exitCodes.conflict, "An upload of this note has begun. Nothing was changed.", {
    hint: "Finish it with `playtest review notes push`, then try again.",
  });
}

/** Replaces a note on this computer; with undefined, removes it. */
async function replaceLocal(ctx: Context, id: string, replace: (note: LocalNote) => Promise<LocalNote | undefined>) {
  if (ctx.flags.dryRun) throw new DryRun([]);
  await localNotes(ctx).update(async (notes) => {
    const at = notes.findIndex(({ moment }) => moment.id === id);
    if (at < 0) throw notFound("Another command has uploaded or deleted this note. Nothing was changed.");
    requireUnsent(notes[at]!);
    const changed = await replace(notes[at]!);
    return notes.toSpliced(at, 1, ...(changed ? [changed] : []));
  });
}

async function editLocal(ctx: Context, id: string, changes: Partial<NoteBody>) {
  const changed: { moment?: Moment } = {};
  await replaceLocal(ctx, id, async (note) => {
    const fields = await checked({ ...bodyOf(note.moment), ...changes });
    changed.moment = { ...note.moment, ...fields, updatedAt: new Date(ctx.now()).toISOString() };
    return { ...note, moment: changed.moment };
  });
  return ctx.item(changed, momentView(true));
}

export const edit = define({
  name: "notes edit",
  summary: "Change a note",
  args: { note: noteArg },
  flags: {
    at: flag.text("Position in the video, such as 12:41, or a span, such as 12:30-12:55", { value: "TIME" }),
    text: flag.text("What you observed"),
    ...described,
  },
  operation: "updateMoment",
  examples: ["playtest review notes edit NOTE --severity 4", "playtest review notes edit NOTE --tag onboarding --tag menu"],
  async run({ args, flags }, ctx) {
    const { at: time, text, kind, severity, tag: tags } = flags;
    const body = {
      ...(time !== undefined && { endMs: null, ...span(time) }),
      ...(text !== undefined && { text }),
      ...(kind && { kind }),
      ...(severity && { severity }),
      ...(tags.length > 0 && { tags }),
    };
    if (Object.keys(body).length === 0)
      throw usage("Nothing to change was given. Nothing was changed.", "Pass --text, for example.");
    if (findLocal(localNotes(ctx), args.note)) return editLocal(ctx, args.note, body);
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
    await replaceLocal(ctx, args.note, async () => undefined);
    return ctx.item({ message: "The note on this computer is deleted." });
  },
});
