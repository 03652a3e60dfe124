import { define } from "../../cli/define.ts";
import { slotArg } from "./queue.ts";
import { slotView } from "./view.ts";

export const unblock = define({
  name: "unblock",
  summary: "Answer a reported problem: unblock the slot with a new deadline",
  description:
    "A slot is blocked while its playtester waits for your answer to a reported problem. Fix the build first, for example with `playtest games push`.",
  args: { slot: slotArg("blocked") },
  operation: "unblockSlot",
  body: "unblockSlot",
  examples: ["playtest review unblock SLOT", 'playtest review unblock SLOT --message "Fixed. Please download the game again."'],
  run: async ({ args, body }, ctx) => ctx.item(await ctx.api().unblockSlot({ params: { id: args.slot }, body }), slotView),
});
