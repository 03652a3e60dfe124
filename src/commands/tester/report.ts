import { arg, define } from "../../cli/define.ts";
import { heldSlotView } from "./view.ts";

export const report = define({
  name: "report",
  summary: "Report that the build cannot be played; pauses your deadline",
  operation: "reportSlot",
  body: "reportSlot",
  args: { slot: arg.id("Slot id, or the name of its game", "listHeldSlots", "game.name") },
  examples: ["playtest tester report 9c21d0ff --reason-code crash --notes 'Black screen after the menu'"],
  view: heldSlotView,
});
