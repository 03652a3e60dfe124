import { arg, define } from "../../cli/define.ts";
import { slotsView } from "./view.ts";

export const slots = define({
  name: "slots",
  args: { playtest: arg.playtest() },
  operation: "listSlots",
  list: true,
  examples: ["playtest playtests slots PLAYTEST", "playtest playtests slots PLAYTEST --all --csv"],
  view: slotsView,
});
