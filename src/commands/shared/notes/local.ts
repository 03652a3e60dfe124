import type { Data, Input } from "../../../api/client.ts";
import type { Context } from "../../../cli/define.ts";
import { type LocalFile, openLocal } from "../../../config/local-notes.ts";
import { exactPosition } from "../../../contract/text/position.ts";
import { CliError, DryRun, exitCodes, notFound, usage } from "../../../errors.ts";
import { plural } from "../../../io/text.ts";

/** Notes on this computer: of a server that stores none, or of one that could not be reached. */

type Slot = Data<"getSlot">["slot"];
export type Moment = Data<"createMoment">["moment"];
export type NoteBody = NonNullable<Input<"createMoment">["body"]>;

export interface LocalNote {
  moment: Moment;
  /** Idempotency key of its upload: sent again, it creates no second note. */
  key: string;
  /** What an upload began to send. The server may have it, so the note cannot change until the upload has ended. */
  sent?: NoteBody;
}

export type LocalNotes = LocalFile<LocalNote>;

export function localNotes(ctx: Context): LocalNotes {
  const { profile, get } = ctx.settings();
  return openLocal("notes", ctx.store, { baseUrl: get("baseUrl")!.value, profile: profile.value }, ctx.now);
}

export const findLocal = (notes: LocalNotes, id: string) => notes.read().find(({ moment }) => moment.id === id);

/** Whether an error says that the server has no notes at all. */
export const lacksNotes = (error: unknown) => error instanceof CliError && error.code === "NOT_OFFERED";

/** What the server would be sent for a note. */
export const bodyOf = ({ atMs, endMs, kind, severity, text, tags }: Moment): NoteBody => ({
  atMs,
  endMs,
  kind,
  severity,
  text,
  tags,
});

type Checked = Pick<Moment, "atMs" | "endMs" | "kind" | "severity" | "text" | "tags">;

/** The fields of a note with their defaults, as a server would check them, so that a later upload is not refused. */
export async function checked(body: NoteBody): Promise<Checked> {
  const { moments } = await import("../../../contract/moments/endpoints.ts");
  const { data, error } = moments.createMoment.body!.safeParse(body);
  if (error) {
    const details = error.issues.map(({ path, message }) => ({ field: path.join("."), message }));
    const { field, message } = details[0]!;
    throw new CliError("USAGE", exitCodes.usage, `${field}: ${message}. Nothing was noted.`, { details });
  }
  return { ...data, endMs: data.endMs ?? null, severity: data.severity ?? null };
}

function requireVideo({ submission }: Slot, atMs: number): void {
  if (!submission)
    throw new CliError("CONFLICT", exitCodes.conflict, "This slot has no video yet. Nothing was noted.", {
      hint: "Wait until its playtester has submitted one.",
    });
  const { videoDurationSeconds: seconds } = submission;
  if (seconds && atMs > seconds * 1000)
    throw usage(
      `The position must be within the video, which ends at ${exactPosition(Math.floor(seconds * 1000))}. Nothing was noted.`,
    );
}

/** Saves a note on this computer. `began`: an upload was tried, whose outcome may be unknown. */
export async function keep(ctx: Context, slot: Slot, body: NoteBody, key: string, began: boolean): Promise<Moment> {
  const fields = await checked(body);
  requireVideo(slot, fields.endMs ?? fields.atMs);
  const now = new Date(ctx.now()).toISOString();
  const moment: Moment = {
    id: ctx.newId(),
    slotId: slot.id,
    playtestId: slot.requestId,
    gameId: slot.game.id,
    buildId: null,
    ...fields,
    author: { id: "", displayName: ctx.settings().profile.value },
    still: null,
    createdAt: now,
    updatedAt: now,
  };
  await localNotes(ctx).update((notes) => [...notes, { moment, key, ...(began && { sent: body }) }]);
  return moment;
}

export const savedHere = (ctx: Context, why: string) =>
  ctx.out.note(`${why} The note is saved on this computer. To upload it later, run \`playtest review notes push\`.`);

export const hintToPush = (ctx: Context, count: number) =>
  ctx.out.note(`${plural(count, "note")} on this computer only. To upload: \`playtest review notes push\`.`);

/** Errors after which the server may or may not have the note, or has it not for a passing reason. */
const passing: readonly number[] = [exitCodes.error, exitCodes.rateLimited, exitCodes.unreachable, exitCodes.unknownOutcome];

/**
 * Notes a moment: on the server, or on this computer where the server has no notes. `keepUnsent`: also on this computer when the server
 * cannot be reached, for a person who would have to type it again.
 */
export async function saveNote(
  ctx: Context,
  slotId: string,
  body: NoteBody,
  keepUnsent?: Slot,
): Promise<{ moment: Moment; local: boolean }> {
  const idempotencyKey = ctx.api().nextKey();
  try {
    const { moment } = await ctx.api().createMoment({ params: { id: slotId }, body, idempotencyKey });
    return { moment, local: false };
  } catch (error) {
    if (lacksNotes(error)) {
      const slot = keepUnsent ?? (await ctx.api().getSlot({ params: { id: slotId } })).slot;
      const moment = await keep(ctx, slot, body, idempotencyKey, false);
      savedHere(ctx, "This server does not store notes.");
      return { moment, local: true };
    }
    if (!keepUnsent || !(error instanceof CliError) || !passing.includes(error.exitCode)) throw error;
    const moment = await keep(ctx, keepUnsent, body, idempotencyKey, true);
    savedHere(ctx, error.message);
    return { moment, local: true };
  }
}

export interface NoteFilter {
  kind?: string | undefined;
  severity?: number | undefined;
  tag?: string | undefined;
  build?: string | undefined;
  text?: string | undefined;
}

/** Whether a note belongs to a slot, playtest or game and passes the filter, as the server decides it. */
export function matches(of: string, { kind, severity, tag, build, text }: NoteFilter, moment: Moment): boolean {
  return (
    [moment.slotId, moment.playtestId, moment.gameId].includes(of) &&
    (kind === undefined || moment.kind === kind) &&
    (severity === undefined || moment.severity === severity) &&
    (tag === undefined || moment.tags.includes(tag)) &&
    (build === undefined || moment.buildId === build) &&
    (text === undefined || moment.text.toLowerCase().includes(text.toLowerCase()))
  );
}

/** In the order of the server: by position in one video, otherwise the newest first. */
export const inOrder = (of: string, moments: readonly Moment[]) =>
  moments.toSorted((a, b) =>
    a.slotId === of && b.slotId === of ? a.atMs - b.atMs : b.createdAt.localeCompare(a.createdAt) || b.id.localeCompare(a.id),
  );

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

/** Changes a note on this computer. Throws if it is gone, or if an upload of it has begun. */
export async function changeLocal(ctx: Context, id: string, changes: Partial<NoteBody>): Promise<Moment | undefined> {
  let moment: Moment | undefined;
  await replaceLocal(ctx, id, async (note) => {
    const fields = await checked({ ...bodyOf(note.moment), ...changes });
    moment = { ...note.moment, ...fields, updatedAt: new Date(ctx.now()).toISOString() };
    return { ...note, moment };
  });
  return moment;
}

/** Removes a note from this computer, as `changeLocal` does. */
export const removeLocal = (ctx: Context, id: string) => replaceLocal(ctx, id, async () => undefined);
