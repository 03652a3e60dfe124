import { arg, define } from "../../cli/define.ts";
import { withConsent } from "./agreement.ts";
import { heldSlotView } from "./view.ts";

export const claim = define({
  name: "claim",
  summary: "Claim a slot and get the link to the build",
  operation: ["claimPlaytest", "getPlaytestAgreement"],
  body: "claimPlaytest",
  args: { playtest: arg.id("Playtest id, or the name of its game", "listOffers", "game.name") },
  examples: ["playtest tester claim 0d9c41f2"],
  async run({ args, body }, ctx) {
    const data = await withConsent(ctx, args.playtest, body.acceptConsent, (acceptConsent) =>
      ctx.api().claimPlaytest({ params: { id: args.playtest }, body: acceptConsent === undefined ? {} : { acceptConsent } }),
    );
    ctx.out.note("You have claimed a slot. Record your session, then run `playtest tester submit VIDEO`.");
    return ctx.item(data, heldSlotView);
  },
});
