import type { Context } from "../../../cli/define.ts";
import { type LocalFile, openLocal } from "../../../config/local-notes.ts";

/** A transcript that was made on this computer, of a server that takes none. */
export interface MadeTranscript {
  slotId: string;
  vtt: string;
  madeAt: string;
}

function made(ctx: Context): LocalFile<MadeTranscript> {
  const { profile, get } = ctx.settings();
  return openLocal("transcripts", ctx.store, { baseUrl: get("baseUrl")!.value, profile: profile.value }, ctx.now);
}

export const findMade = (ctx: Context, id: string) =>
  made(ctx)
    .read()
    .find(({ slotId }) => slotId === id);

export const removeMade = (ctx: Context, id: string) => made(ctx).update((kept) => kept.filter(({ slotId }) => slotId !== id));

/** Keeps a transcript on this computer, in the place of an earlier one. */
export async function keepMade(ctx: Context, slotId: string, vtt: string): Promise<MadeTranscript> {
  const kept = { slotId, vtt, madeAt: new Date(ctx.now()).toISOString() };
  await made(ctx).update((others) => [...others.filter((one) => one.slotId !== slotId), kept]);
  return kept;
}
