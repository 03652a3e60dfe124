import { define } from "../../cli/define.ts";
import { balanceView } from "./view.ts";

export const balance = define({
  name: "balance",
  summary: "Show credit and playtest minutes",
  operation: "getBalance",
  examples: ["playtest billing balance", "playtest billing balance --jq .balanceCents"],
  run: async (_, ctx) => ctx.item(await ctx.api().getBalance({}), balanceView),
});
