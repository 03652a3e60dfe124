import { arg, define } from "../../cli/define.ts";
import { applicationView } from "./view.ts";

export const apply = define({
  name: "apply",
  summary: "Apply to a playtest that requires approval by its owner",
  operation: "applyToPlaytest",
  body: "applyToPlaytest",
  args: { playtest: arg.id("Playtest id, or the name of its game", "listOffers", "game.name") },
  examples: ["playtest tester apply 0d9c41f2 --qualifications-response 'Ten years of roguelikes'"],
  run: async ({ args, body }, ctx) =>
    ctx.item(await ctx.api().applyToPlaytest({ params: { id: args.playtest }, body }), applicationView),
});
