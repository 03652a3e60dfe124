import { define, flag, type Row, viewOf } from "../../cli/define.ts";
import { usage } from "../../errors.ts";
import { plural, shortId } from "../../io/text.ts";
import { conclude, partialFailure, several, targets } from "../shared/several.ts";
import { slotIds } from "./queue.ts";

const view = viewOf<Row<"id" | "status" | "allowRetry" | "message">>(["id", "status", "retry:allowRetry", "message"]);

export const reject = define({
  name: "reject",
  summary: "Reject submissions",
  description: "Without --retry, the playtester is not paid and the price is not refunded.",
  args: { slots: slotIds("all") },
  flags: { retry: flag.toggle("Let the playtester try again within 24 hours", { field: "allowRetry" }) },
  operation: "rejectSlot",
  body: "rejectSlot",
  bodyOmit: ["allowRetry"],
  examples: [
    'playtest review reject SLOT --reason "No sound." --retry',
    'playtest review reject SLOT SLOT --reason "Wrong game." --yes',
  ],
  exits: [11],
  async run({ args, flags, body }, ctx) {
    const ids = await targets(ctx, args.slots, {
      all: false,
      find: () => {
        throw usage("Missing slot id.");
      },
      question: (count) => `Reject ${plural(count, "submission")}${flags.retry ? " and allow a retry" : " without a retry"}?`,
    });
    const results = await several(
      ctx,
      ids,
      async (id) => {
        const allowRetry = flags.retry || body.allowRetry === true;
        const { message } = await ctx.api().rejectSlot({ params: { id }, body: { ...body, ...(allowRetry && { allowRetry }) } });
        return { id, status: "rejected", allowRetry, message };
      },
      ({ id, allowRetry }) => `Rejected ${shortId(id)}.${allowRetry ? " The playtester may try again." : ""}`,
    );
    const result = { rejected: results.done, failed: results.failed };
    return conclude(ctx, result, results.done, view, partialFailure(results, "submission", "rejected"));
  },
});
