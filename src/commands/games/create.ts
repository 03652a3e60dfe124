import { define } from "../../cli/define.ts";
import { gameView } from "./view.ts";

export const create = define({
  name: "create",
  summary: "Create a game",
  operation: "createGame",
  body: "createGame",
  examples: [
    "playtest games create --name 'Star Miner' --build-url https://example.com/star-miner.zip --devices PC,Mac",
    "playtest games create -f game.yaml",
  ],
  async run({ body }, ctx) {
    const data = await ctx.api().createGame({ body });
    ctx.out.note(`Created ${data.game.name}. Order playtests with \`playtest order ${data.game.id}\`.`);
    return ctx.item(data, gameView);
  },
});
