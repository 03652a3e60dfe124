import { define, flag } from "../../cli/define.ts";
import { gateFailed } from "../../errors.ts";
import { plural } from "../../io/text.ts";
import { compare, declaredArgs, declaredFlags, differenceView } from "./declared.ts";

export const diff = define({
  name: "diff",
  summary: "Show the differences between a game and its file",
  operation: ["getGame", "listGames", "listCategories"],
  args: declaredArgs,
  flags: { ...declaredFlags, exitCode: flag.toggle("Exit with 13 if there are differences") },
  exits: [13],
  examples: ["playtest games diff -f game.yaml", "playtest games diff -f game.yaml --exit-code"],
  async run({ args, flags }, ctx) {
    const { differences } = await compare(ctx, flags.fromFile!, args.game);
    const outcome = ctx.rows("differences", differences, differenceView);
    if (differences.length === 0 || !flags.exitCode) return outcome;
    return {
      ...outcome,
      failure: gateFailed(`The game differs from ${flags.fromFile} in ${plural(differences.length, "field")}.`),
    };
  },
});
