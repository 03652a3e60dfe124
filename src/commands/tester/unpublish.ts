import { arg, define } from "../../cli/define.ts";
import { shortId } from "../../io/text.ts";
import { heldSlotView } from "./view.ts";

export const unpublish = define({
  name: "unpublish",
  summary: "Withdraw your consent to publish your video",
  description:
    "You can do so at any time: before the video is accepted, it is not published then; afterwards it is deleted where it was published, and its address no longer works. If the playtest is paid, you are paid all the same. The owner and you keep the video. It cannot be published again, and the owner is told.",
  operation: "withdrawVideo",
  args: { slot: arg.id("Slot id, or the name of its game", "listHeldSlots", "game.name") },
  body: "withdrawVideo",
  confirm: ({ args }) => `Withdraw your consent to publish the video of slot ${shortId(args.slot)}?`,
  examples: ["playtest tester unpublish 9c21d0ff", 'playtest tester unpublish 9c21d0ff --reason "My voice" --yes'],
  view: heldSlotView,
});
