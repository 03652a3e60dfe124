import { define } from "../../cli/define.ts";
import { CliError, exitCodes } from "../../errors.ts";
import { shortId } from "../../io/text.ts";
import { slotArg } from "./queue.ts";
import { cancelledView } from "./view.ts";

export const cancel = define({
  name: "cancel",
  summary: "Cancel a slot with a reported problem and get its price back",
  description:
    "Use this if the problem cannot be fixed. The playtester is notified and not paid. To let the playtester continue instead, use `playtest review unblock`.",
  args: { slot: slotArg("blocked") },
  operation: ["deleteSlot", "getSlot"],
  asks: true,
  confirm: false,
  examples: ["playtest review cancel SLOT", "playtest review cancel SLOT --yes --jq .refundedCents"],
  async run({ args }, ctx) {
    const { slot } = await ctx.api().getSlot({ params: { id: args.slot } });
    if (slot.status !== "blocked")
      throw new CliError(
        "CONFLICT",
        exitCodes.conflict,
        `No problem is reported for slot ${shortId(slot.id)}: it is ${slot.status}. Nothing was changed.`,
      );
    await ctx.confirm(`Cancel slot ${shortId(slot.id)}? What was paid for it is refunded, and its playtester is not paid.`);
    return ctx.item(await ctx.api().deleteSlot({ params: { id: args.slot } }), cancelledView);
  },
});
