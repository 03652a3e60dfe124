import { arg, define } from "../../cli/define.ts";
import { heldSlotView } from "./view.ts";

export const release = define({
  name: "release",
  summary: "Release a slot; you cannot claim this playtest again",
  operation: "releaseSlot",
  confirm: false,
  args: { slot: arg.id("Slot id, or the name of its game", "listHeldSlots", "game.name") },
  examples: ["playtest tester release 9c21d0ff"],
  view: heldSlotView,
});
