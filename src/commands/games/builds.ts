import { arg, define } from "../../cli/define.ts";
import { buildView } from "./view.ts";

export const builds = define({
  name: "builds",
  summary: "List the builds of a game",
  operation: "listBuilds",
  args: { game: arg.game() },
  list: true,
  examples: ["playtest games builds 4f6a1b2c", "playtest games builds --csv -o builds.csv"],
  run: async ({ args, range }, ctx) => ctx.list("listBuilds", { params: { id: args.game } }, range, buildView),
});
