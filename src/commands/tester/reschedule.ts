import { arg, define, flag } from "../../cli/define.ts";
import { usage } from "../../errors.ts";
import { fixedTime, fixedTimeText, profileZone } from "../shared/fixed-time.ts";
import { heldSlotView } from "./view.ts";

export const reschedule = define({
  name: "reschedule",
  summary: "Accept or decline another time that the owner proposes for a slot",
  description: "If you decline, your slot is released. This does not count against you, and you can claim the playtest again.",
  operation: "rescheduleSlot",
  args: { slot: arg.id("Slot id, or the name of its game", "listHeldSlots", "game.name") },
  flags: {
    accept: flag.toggle("Play at the proposed time"),
    decline: flag.toggle("Release the slot"),
    at: flag.text("The proposed time that you answer; refused when another one is proposed by now", {
      value: "TIME",
      field: "scheduledAt",
    }),
  },
  examples: [
    "playtest tester reschedule 9c21d0ff --accept",
    "playtest tester reschedule 9c21d0ff --accept --at 2026-12-05T18:00+01:00",
    "playtest tester reschedule 9c21d0ff --decline",
  ],
  async run({ args, flags }, ctx) {
    if (flags.accept === flags.decline) throw usage("Pass either --accept or --decline.");
    const answered = flags.at === undefined ? undefined : await fixedTime(ctx, flags.at, "--at", undefined);
    const body = { accept: flags.accept, ...(answered !== undefined && { scheduledAt: answered }) };
    const data = await ctx.api().rescheduleSlot({ params: { id: args.slot }, body });
    const { scheduledAt } = data.slot;
    if (!flags.accept || scheduledAt === null) ctx.out.note("The slot was released.");
    else ctx.out.note(`You play at ${fixedTimeText(scheduledAt, await profileZone(ctx))}.`);
    return ctx.item(data, heldSlotView);
  },
});
