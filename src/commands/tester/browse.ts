import { define } from "../../cli/define.ts";
import { offerView } from "./view.ts";

export const browse = define({
  name: "browse",
  aliases: ["offers"],
  operation: "listOffers",
  query: "listOffers",
  list: true,
  examples: [
    "playtest tester browse",
    "playtest tester browse --device Mac --language de",
    "playtest tester browse --device mine --language mine",
    "playtest tester browse --all --json=id,payoutCents",
  ],
  view: offerView,
});
