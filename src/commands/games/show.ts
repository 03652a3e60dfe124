import { arg, define } from "../../cli/define.ts";
import { gameView } from "./view.ts";

export const show = define({
  name: "show",
  operation: "getGame",
  args: { game: arg.game() },
  examples: ["playtest games show 4f6a1b2c", "playtest games show --json=name,buildUrl"],
  view: gameView,
});
