import type { Input } from "../../api/client.ts";
import { define } from "../../cli/define.ts";
import { compare, declaredArgs, declaredFlags } from "./declared.ts";

export const apply = define({
  name: "apply",
  summary: "Make a game be as a file says: created, changed, or left alone",
  description:
    "The file has the fields of a game, and perhaps its id; tags may be names or slugs of categories. What the file leaves out stays as it\n" +
    "is. Running it again changes nothing, also in a fresh checkout: the game is known by its name. A game that is new becomes the default of this folder.",
  operation: ["createGame", "updateGame", "getGame", "listGames", "listCategories"],
  args: declaredArgs,
  flags: declaredFlags,
  examples: ["playtest games apply -f game.yaml", "playtest games apply -f game.yaml --dry-run"],
  async run({ args, flags }, ctx) {
    const { game, wanted, differences } = await compare(ctx, flags.fromFile!, args.game);
    const changed = differences.map(({ field }) => field);
    if (game === undefined) {
      const { game: made } = await ctx.api().createGame({ body: wanted });
      const path = await ctx.saveInDirectory({ gameId: made.id });
      return ctx.text(`Registered ${made.name} as ${made.id}; ${path} names it.`, {
        result: { gameId: made.id, created: true, changed },
      });
    }
    if (changed.length === 0)
      return ctx.text(`${game.name} is as the file says.`, { result: { gameId: game.id, created: false, changed } });
    const body = Object.fromEntries(differences.map(({ field }) => [field, wanted[field]])) as NonNullable<
      Input<"updateGame">["body"]
    >;
    await ctx.api().updateGame({ params: { id: game.id }, body });
    return ctx.text(`Changed ${changed.join(", ")} of ${game.name}.`, { result: { gameId: game.id, created: false, changed } });
  },
});
