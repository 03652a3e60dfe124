import { arg, define } from "../../cli/define.ts";
import { heldSlotView } from "./view.ts";

export const show = define({
  name: "show",
  summary: "Show one of your slots, with the build and keys while it is active",
  operation: "getHeldSlot",
  args: { slot: arg.id("Slot id, or the name of its game", "listHeldSlots", "game.name") },
  examples: ["playtest tester show 9c21d0ff", "playtest tester show 9c21d0ff --jq .slot.buildUrl"],
  view: heldSlotView,
});
