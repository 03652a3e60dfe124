import { arg, type Context, flag } from "../../cli/define.ts";
import { CliError, declined, exitCodes, usage } from "../../errors.ts";
import { fixedTime, fixedTimeText, profileZone } from "../shared/fixed-time.ts";

/** A playtester confirms the time of a playtest at a fixed time before claiming a slot or applying. */

export const confirmedTimeFlags = {
  at: flag.text("Confirm that you will play at this time, for a playtest at a fixed time", {
    value: "TIME",
    field: "scheduledAt",
  }),
};

export const offeredPlaytest = { playtest: arg.id("Playtest id, or the name of its game", "listOffers", "game.name") };

/** The fixed time of an offered playtest (ISO 8601), or null. One that is not offered is left to the server, which says why. */
async function offeredTime(ctx: Context, id: string): Promise<string | null> {
  try {
    return (await ctx.api().getOffer({ params: { id } })).playtest.scheduledAt ?? null;
  } catch (error) {
    if (error instanceof CliError && error.exitCode === exitCodes.notFound) return null;
    throw error;
  }
}

/** The time of an offered playtest to confirm (ISO 8601). */
export const confirmOffered = async (ctx: Context, id: string, given: string | undefined) =>
  confirmTime(ctx, given === undefined ? await offeredTime(ctx, id) : null, given);

/** The time to confirm (ISO 8601): the one that was given, or the fixed one after asking. Undefined for a playtest without one. */
export async function confirmTime(ctx: Context, at: string | null, given: string | undefined): Promise<string | undefined> {
  if (given !== undefined) return fixedTime(ctx, given, "--at", undefined);
  if (at === null) return undefined;
  const text = fixedTimeText(at, await profileZone(ctx));
  const otherwise = `To confirm that you will play then, pass --at ${at}.`;
  if (!ctx.prompt.possible) throw usage(`This playtest is at a fixed time: ${text}. Nothing was changed.`, otherwise);
  if (!(await ctx.prompt.confirm(`This playtest is at a fixed time: ${text}. Will you play then?`, otherwise))) throw declined();
  return at;
}
