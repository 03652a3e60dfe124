import { arg, define } from "../../cli/define.ts";
import { gameView } from "./view.ts";

export const get = define({
  name: "get",
  aliases: ["show"],
  summary: "Show a game",
  operation: "getGame",
  args: { game: arg.game() },
  examples: ["playtest games get 4f6a1b2c", "playtest games get --json=name,buildUrl"],
  run: async ({ args }, ctx) => ctx.item(await ctx.api().getGame({ params: { id: args.game } }), gameView),
});
