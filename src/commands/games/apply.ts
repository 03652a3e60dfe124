import type { Input } from "../../api/client.ts";
import { define } from "../../cli/define.ts";
import { compare, declaredArgs, declaredFlags } from "./declared.ts";
import { requireLanguages } from "./languages.ts";

export const apply = define({
  name: "apply",
  summary: "Create or update a game from a file",
  description:
    "The file has the fields of a game and optionally its id; tags can be ids, names or slugs of categories. Fields that are not in the file are\n" +
    "not changed. Applying the same file again changes nothing, even in a fresh checkout: the game is found by its name. A new game becomes the\n" +
    "default of this directory.",
  operation: ["createGame", "updateGame", "getGame", "listGames", "listCategories"],
  args: declaredArgs,
  flags: declaredFlags,
  examples: ["playtest games apply -f game.yaml", "playtest games apply -f game.yaml --dry-run"],
  async run({ args, flags }, ctx) {
    const { game, wanted, differences } = await compare(ctx, flags.fromFile!, args.game);
    await requireLanguages(ctx, wanted);
    const changed = differences.map(({ field }) => field);
    if (game === undefined) {
      const { game: created } = await ctx.api().createGame({ body: wanted });
      const path = await ctx.saveInDirectory({ gameId: created.id });
      return ctx.text(`Created ${created.name} (${created.id}). It is the default game in ${path}.`, {
        result: { gameId: created.id, created: true, changed },
      });
    }
    if (changed.length === 0)
      return ctx.text(`${game.name} already matches the file.`, { result: { gameId: game.id, created: false, changed } });
    const body = Object.fromEntries(differences.map(({ field }) => [field, wanted[field]])) as NonNullable<
      Input<"updateGame">["body"]
    >;
    await ctx.api().updateGame({ params: { id: game.id }, body });
    return ctx.text(`Updated ${changed.join(", ")} of ${game.name}.`, { result: { gameId: game.id, created: false, changed } });
  },
});
