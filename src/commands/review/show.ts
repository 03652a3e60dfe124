import { define } from "../../cli/define.ts";
import { slotArg } from "./queue.ts";
import { slotView } from "./view.ts";

export const show = define({
  name: "show",
  summary: "Show a slot and its submission",
  args: { slot: slotArg() },
  operation: "getSlot",
  examples: ["playtest review show SLOT", "playtest review show SLOT --jq .slot.transcription.keyTakeaways"],
  view: slotView,
});
