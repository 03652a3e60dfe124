import { define } from "../../cli/define.ts";
import { offerView } from "./view.ts";

export const browse = define({
  name: "browse",
  aliases: ["offers"],
  summary: "List playtests you can claim or apply to",
  operation: "listOffers",
  query: "listOffers",
  list: true,
  examples: [
    "playtest tester browse",
    "playtest tester browse --device Mac --language de",
    "playtest tester browse --all --json=id,payoutCents",
  ],
  run: async ({ query, range }, ctx) => ctx.list("listOffers", { query }, range, offerView),
});
