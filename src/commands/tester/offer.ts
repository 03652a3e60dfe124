import { arg, define } from "../../cli/define.ts";
import { shownOfferView } from "./view.ts";

export const offer = define({
  name: "offer",
  summary: "Show a playtest with its requirements, pay and deadline before you take part",
  operation: "getOffer",
  args: { playtest: arg.id("Playtest id, or the name of its game", "listOffers", "game.name") },
  examples: ["playtest tester offer 0d9c41f2", "playtest tester offer 0d9c41f2 --jq .playtest.deadlineHours"],
  view: shownOfferView,
});
