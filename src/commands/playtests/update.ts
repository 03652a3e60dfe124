import { arg, define } from "../../cli/define.ts";
import { usage } from "../../errors.ts";
import { fixedTime, fixedTimeFlags, requireFixedTimes, shownTime } from "../shared/fixed-time.ts";
import { playtestView } from "./view.ts";

export const update = define({
  name: "update",
  summary: "Change the notes of an active playtest, or propose another time",
  description:
    "--at moves a playtest at a fixed time, until 12 hours before it. Its open slots move at once. Each playtester who holds a slot is asked: " +
    "one who declines, or does not answer in time, is released, and the slot is open again. Where the time for applications has ended, it is closed " +
    "and refunded instead.",
  args: { playtest: arg.playtest() },
  flags: fixedTimeFlags,
  operation: "updatePlaytest",
  body: "updatePlaytest",
  examples: [
    'playtest playtests update PLAYTEST --notes-for-testers "Please turn the sound on."',
    'playtest playtests update PLAYTEST --at "2026-12-06 18:00" --time-zone Europe/Berlin',
  ],
  async run({ args, flags, body: given }, ctx) {
    const at = flags.at ?? given.scheduledAt;
    if (at === undefined && flags.timeZone !== undefined) throw usage("--time-zone requires --at. Nothing was changed.");
    if (at === undefined && Object.keys(given).length === 0) throw usage("--notes-for-testers or --at is required.");
    const scheduledAt = at === undefined ? undefined : await fixedTime(ctx, at, "--at", flags.timeZone);
    if (scheduledAt !== undefined) await requireFixedTimes(ctx, "Nothing was changed.");
    const body = { ...given, ...(scheduledAt !== undefined && { scheduledAt }) };
    const data = await ctx.api().updatePlaytest({ params: { id: args.playtest }, body });
    if (scheduledAt !== undefined) {
      const text = await shownTime(ctx, scheduledAt, flags.timeZone);
      ctx.out.note(
        `Open slots are now at ${text}. Playtesters who hold a slot are asked, and keep the earlier time until they accept: see \`playtest playtests slots ${args.playtest}\`.`,
      );
    }
    return ctx.item(data, playtestView);
  },
});
