import { define } from "../../cli/define.ts";
import { heldSlotView } from "./view.ts";

export const slots = define({
  name: "slots",
  operation: "listHeldSlots",
  query: "listHeldSlots",
  list: true,
  examples: [
    "playtest tester slots",
    "playtest tester slots --state active",
    "playtest tester slots --template '{id} {status} {deadlineAt|ago}'",
  ],
  view: heldSlotView,
});
