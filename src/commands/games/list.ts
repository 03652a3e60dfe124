import { define } from "../../cli/define.ts";
import { gameView } from "./view.ts";

export const list = define({
  name: "list",
  aliases: ["ls"],
  operation: "listGames",
  list: true,
  examples: ["playtest games list", "playtest games list --all --json=id,name", "playtest games list --template '{id} {name}'"],
  view: gameView,
});
