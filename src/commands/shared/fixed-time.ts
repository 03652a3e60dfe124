import { type Context, flag } from "../../cli/define.ts";
import type { TimeReader } from "../../contract/time/local.ts";
import { isTimeZone, zonedText } from "../../contract/time/zones.ts";
import { CliError, exitCodes, usage } from "../../errors.ts";

/** Playtests at a fixed time, as people write and read it. */

/** The flags of the fixed time of a playtest. */
export const fixedTimeFlags = {
  at: flag.text('Play at this time, 12 hours to 90 days ahead: "2026-12-05 18:00", or with an offset, 2026-12-05T18:00+01:00', {
    value: "TIME",
    field: "scheduledAt",
  }),
  timeZone: flag.text("Time zone of a time without an offset, such as Europe/Berlin (default that of your profile)", {
    value: "ZONE",
  }),
};

export interface FixedTimeFlags {
  at: string | undefined;
  timeZone: string | undefined;
}

/** A server that does not know fixed times may ignore one, and the playtest would begin at any time. */
export async function requireFixedTimes(ctx: Context, nothing: string): Promise<void> {
  if (await ctx.api().offers("rescheduleSlot")) return;
  throw new CliError("NOT_OFFERED", exitCodes.notFound, `This server has no playtests at a fixed time. ${nothing}`, {
    hint: "Leave out --at and scheduledAt.",
  });
}

/** The time zone of the account's profile; null without one. */
export const profileZone = async (ctx: Context): Promise<string | null> => (await ctx.api().getMe({})).profile?.timeZone ?? null;

/** Reads times as people write them, in the zone that is given or in that of the profile, which is asked only if one has no offset. */
export async function timeReader(ctx: Context, texts: readonly string[], given: string | undefined): Promise<TimeReader> {
  if (given !== undefined && !isTimeZone(given))
    throw usage(`--time-zone: ${JSON.stringify(given)} is not a time zone.`, "Examples: Europe/Berlin, America/New_York, UTC.");
  if (texts.length === 0) return () => ({ fault: "is not a time" });
  const { hasOffset, timesIn } = await import("../../contract/time/local.ts");
  const zone = given ?? (texts.every(hasOffset) ? "UTC" : await profileZone(ctx));
  return timesIn(zone, "run `playtest auth profile update --time-zone ZONE`");
}

/** The instant (ISO 8601 in UTC) of a time that a person wrote. `label` says where. */
export async function fixedTime(ctx: Context, text: string, label: string, zone: string | undefined): Promise<string> {
  const read = (await timeReader(ctx, [text], zone))(text);
  if ("instant" in read) return read.instant;
  throw usage(`${label}: ${JSON.stringify(text)} ${read.fault}.`);
}

/** A fixed time of a playtest with its zone, for questions and notes. */
export const fixedTimeText = (iso: string, zone: string | null | undefined) => zonedText(Date.parse(iso), zone);

/** The same in the zone that was given, or in that of the profile. */
export const shownTime = async (ctx: Context, iso: string, zone: string | undefined) =>
  fixedTimeText(iso, zone ?? (await profileZone(ctx)));

/** The same for tables, which know no profile. */
export const utcText = (iso: string | null | undefined) => (iso ? fixedTimeText(iso, "UTC") : undefined);
