import { arg, define } from "../../cli/define.ts";
import { heldSlotView } from "./view.ts";

export const claim = define({
  name: "claim",
  summary: "Claim a slot and get the link to the build",
  operation: "claimPlaytest",
  args: { playtest: arg.id("Playtest id, or the name of its game", "listOffers", "game.name") },
  examples: ["playtest tester claim 0d9c41f2"],
  async run({ args }, ctx) {
    const data = await ctx.api().claimPlaytest({ params: { id: args.playtest } });
    ctx.out.note("You have claimed a slot. Record your session, then run `playtest tester submit VIDEO`.");
    return ctx.item(data, heldSlotView);
  },
});
