import { type Context, define } from "../../cli/define.ts";
import type { Data } from "../../contract/index.ts";
import { isAbsent } from "../../errors.ts";
import { slotArg } from "./queue.ts";
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

/** What looks wrong in the video. Undefined where it is not measured. */
async function factsOf(ctx: Context, id: string): Promise<Data<"getSlotSignals">["facts"] | undefined> {
  try {
    return (await ctx.api().getSlotSignals({ params: { id } })).facts;
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}
