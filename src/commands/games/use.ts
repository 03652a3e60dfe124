import { arg, define } from "../../cli/define.ts";

export const use = define({
  name: "use",
  summary: "Make a game the default of this directory",
  description:
    "Writes gameId to the .playtest.json of this directory, or to the nearest one in a parent directory. Commands that take a game then use it.",
  operation: "getGame",
  args: { game: arg.id("Game id or name", "listGames") },
  examples: ["playtest games use 4f6a1b2c"],
  async run({ args }, ctx) {
    const { game } = await ctx.api().getGame({ params: { id: args.game } });
    const path = await ctx.saveInDirectory({ gameId: game.id });
    return ctx.text(`${game.name} is now the default game in ${path}.`, { result: { gameId: game.id, path } });
  },
});
