import { arg, col, define, type ItemOf, moneyCol, type Row, viewOf } from "../../cli/define.ts";
import { plural, shortId } from "../../io/text.ts";
import { conclude, partialFailure, several } from "../shared/several.ts";
import { refundText } from "./cancel.ts";

const view = viewOf<Row<"id"> & ItemOf<"deleteSlot">>([
  "id",
  "credit refunded:refundedCents",
  moneyCol(col("minutes refunded:refundedMinutes")),
]);

export const cancelSlot = define({
  name: "cancel-slot",
  summary: "Cancel unclaimed slots, or claimed ones before a fixed time",
  args: { slots: arg.ids("Slot ids") },
  operation: "deleteSlot",
  confirm: ({ args }) =>
    `Cancel ${plural(args.slots.length, "slot")}? Only unclaimed slots can be cancelled, and claimed ones before a fixed time. What was paid for them is refunded, but in the last 12 hours before that time it pays the playtester.`,
  examples: ["playtest playtests cancel-slot SLOT", "playtest playtests cancel-slot SLOT SLOT --yes"],
  exits: [11],
  async run({ args }, ctx) {
    const remove = async (id: string) => ({ id, ...(await ctx.api().deleteSlot({ params: { id } })) });
    const results = await several(ctx, [...new Set(args.slots)], remove, (slot) => {
      const refund = refundText(slot);
      return `Cancelled slot ${shortId(slot.id)}${refund ? ` and refunded ${refund}` : ""}.`;
    });
    const total = (name: "refundedCents" | "refundedMinutes") => results.done.reduce((sum, slot) => sum + slot[name], 0);
    const result = {
      cancelled: results.done,
      failed: results.failed,
      refundedCents: total("refundedCents"),
      refundedMinutes: total("refundedMinutes"),
    };
    return conclude(ctx, result, results.done, view, partialFailure(results, "slot", "cancelled"));
  },
});
