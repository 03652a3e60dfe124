import { arg, define } from "../../cli/define.ts";
import { withConsent } from "./agreement.ts";
import { applicationView } from "./view.ts";

export const apply = define({
  name: "apply",
  summary: "Apply to a playtest that requires approval by its owner",
  operation: ["applyToPlaytest", "getPlaytestAgreement"],
  body: "applyToPlaytest",
  args: { playtest: arg.id("Playtest id, or the name of its game", "listOffers", "game.name") },
  examples: ["playtest tester apply 0d9c41f2 --qualifications-response 'Ten years of roguelikes'"],
  async run({ args, body }, ctx) {
    const params = { id: args.playtest };
    const data = await withConsent(ctx, args.playtest, body.acceptConsent, (acceptConsent) =>
      ctx.api().applyToPlaytest({ params, body: { ...body, ...(acceptConsent !== undefined && { acceptConsent }) } }),
    );
    return ctx.item(data, applicationView);
  },
});
