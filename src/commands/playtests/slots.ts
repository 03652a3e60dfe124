import { arg, define } from "../../cli/define.ts";
import { slotsView } from "./view.ts";

export const slots = define({
  name: "slots",
  summary: "List the slots of a playtest",
  args: { playtest: arg.playtest() },
  operation: "listSlots",
  list: true,
  examples: ["playtest playtests slots PLAYTEST", "playtest playtests slots PLAYTEST --all --csv"],
  run: async ({ args, range }, ctx) => ctx.list("listSlots", { params: { id: args.playtest } }, range, slotsView),
});
