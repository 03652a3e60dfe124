import { type Context, define } from "../../../cli/define.ts";
import { operations } from "../../../contract/static.ts";
import { CliError, exitCodes, isAbsent } from "../../../errors.ts";
import { plural } from "../../../io/text.ts";
import type { Moment } from "../../shared/notes/local.ts";
import { bodyOf, findLocal, type LocalNote, type LocalNotes, localNotes } from "../../shared/notes/local.ts";
import { conclude, partialFailure, several } from "../../shared/several.ts";
import { momentsView } from "./view.ts";

/** Throws where the server has no notes. It is asked each time: it may have gained them since an earlier command. */
async function requireNotes(ctx: Context, waiting: number): Promise<void> {
  const { method, path } = operations.createMoment;
  try {
    const { extensions } = await ctx.api().getServerInfo({});
    if (extensions.includes(`${method} ${path}`)) return;
  } catch (error) {
    if (!isAbsent(error)) throw error;
  }
  const message = `This server does not store notes. Nothing was sent. Still on this computer: ${plural(waiting, "note")}.`;
  throw new CliError("NOT_OFFERED", exitCodes.notFound, message, { hint: "Run this again once the server supports notes." });
}

const replaced = (notes: readonly LocalNote[], id: string, replace: (note: LocalNote) => LocalNote[]) =>
  notes.flatMap((note) => (note.moment.id === id ? replace(note) : [note]));

/** Notes down what is being sent, so that a later try sends the same under the same key. Undefined if another command removed the note. */
async function begin(local: LocalNotes, id: string): Promise<LocalNote | undefined> {
  await local.update((notes) => replaced(notes, id, (note) => [{ ...note, sent: note.sent ?? bodyOf(note.moment) }]));
  return findLocal(local, id);
}

/** Uploads a note and removes it here. */
async function push(ctx: Context, local: LocalNotes, id: string): Promise<Moment> {
  const found = findLocal(local, id);
  // A dry run shows the request and changes nothing here.
  const note = found && !ctx.flags.dryRun ? await begin(local, id) : found;
  if (!note) throw new CliError("NOT_FOUND", exitCodes.notFound, "Another command has uploaded or deleted this note.");
  const { moment, key, sent = bodyOf(moment) } = note;
  const input = { params: { id: moment.slotId }, body: sent, idempotencyKey: key };
  const { moment: uploaded } = await ctx.api().createMoment(input);
  await local.update((notes) => replaced(notes, id, () => []));
  return uploaded;
}

export const pushNotes = define({
  name: "notes push",
  summary: "Upload the notes that are on this computer",
  description:
    "Notes stay on this computer where a server does not store them or could not be reached. This uploads those of this instance and profile, " +
    "and removes each here once the server has it. It is safe to repeat: a note is never created twice.",
  operation: "createMoment",
  examples: ["playtest review notes push"],
  exits: [exitCodes.partial],
  async run(_, ctx) {
    const local = localNotes(ctx);
    const ids = local.read().map(({ moment }) => moment.id);
    if (ids.length === 0) {
      ctx.out.note("No notes are on this computer. Nothing was sent.");
      return ctx.out.format.kind === "auto" ? undefined : ctx.item({ result: { uploaded: [], failed: [] } });
    }
    await requireNotes(ctx, ids.length);
    const results = await several(
      ctx,
      ids,
      async (id) => ({ ...(await push(ctx, local, id)) }),
      ({ id, text }) => `Uploaded ${id}: ${text}`,
    );
    const result = { uploaded: results.done, failed: results.failed };
    return conclude(ctx, result, results.done, momentsView(), partialFailure(results, "note", "uploaded"));
  },
});
