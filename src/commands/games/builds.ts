import { arg, define } from "../../cli/define.ts";
import { buildView } from "./view.ts";

export const builds = define({
  name: "builds",
  operation: "listBuilds",
  args: { game: arg.game() },
  list: true,
  examples: ["playtest games builds 4f6a1b2c", "playtest games builds --csv -o builds.csv"],
  view: buildView,
});
