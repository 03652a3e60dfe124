import { arg, define } from "../../cli/define.ts";

export const use = define({
  name: "use",
  summary: "Make a game the default of this folder",
  description:
    "Writes gameId to .playtest.json here, or to the nearest one above. Commands that take a game then need no argument.",
  operation: "getGame",
  args: { game: arg.id("Game id", "listGames") },
  examples: ["playtest games use 4f6a1b2c"],
  async run({ args }, ctx) {
    const { game } = await ctx.api().getGame({ params: { id: args.game } });
    const path = await ctx.saveInDirectory({ gameId: game.id });
    return ctx.text(`${game.name} is the game of ${path}.`, { result: { gameId: game.id, path } });
  },
});
