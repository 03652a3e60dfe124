import { define, flag } from "../../cli/define.ts";
import { slotArg } from "./queue.ts";
import { slotView } from "./view.ts";

export const unblock = define({
  name: "unblock",
  summary: "Answer a reported problem: unblock the slot with a new deadline",
  description:
    "A slot is blocked while its playtester waits for your answer to a reported problem. Upload a build that works first, with `playtest games push`: the playtester then gets the newest. If a game key does not work, pass a new one: the old key is retired.",
  flags: { key: flag.list("New game key, one for each player of the slot", { value: "KEY", field: "keys" }) },
  args: { slot: slotArg("blocked") },
  operation: "unblockSlot",
  body: "unblockSlot",
  bodyOmit: ["keys"],
  examples: [
    "playtest review unblock SLOT",
    "playtest review unblock SLOT --key AAAA-BBBB-CCCC",
    'playtest review unblock SLOT --message "Fixed. Please download the game again."',
  ],
  async run({ args, flags, body }, ctx) {
    const keys = flags.key.length > 0 ? { keys: flags.key } : {};
    const data = await ctx.api().unblockSlot({ params: { id: args.slot }, body: { ...body, ...keys } });
    if (flags.key.length === 0 && data.slot.blockedReport?.reasonCode === "key_invalid")
      ctx.out.note("The playtester reported a game key that does not work, and still has it: no new one was passed with --key.");
    return ctx.item(data, slotView);
  },
});
