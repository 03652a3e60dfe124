import { define } from "../../cli/define.ts";
import { slotArg } from "./queue.ts";
import { factsOf } from "./recording.ts";
import { slotView } from "./view.ts";

export const show = define({
  name: "show",
  summary: "Show a slot and its submission",
  args: { slot: slotArg() },
  operation: ["getSlot", "getSlotSignals"],
  examples: ["playtest review show SLOT", "playtest review show SLOT --jq .slot.transcription.keyTakeaways"],
  async run({ args }, ctx) {
    const { slot } = await ctx.api().getSlot({ params: { id: args.slot } });
    const facts = slot.submission ? await factsOf(ctx, slot.id) : undefined;
    return ctx.item({ slot: { ...slot, ...(facts && { facts }) } }, slotView);
  },
});
