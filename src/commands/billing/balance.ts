import { define } from "../../cli/define.ts";
import { balanceView } from "./view.ts";

export const balance = define({
  name: "balance",
  operation: "getBalance",
  examples: ["playtest billing balance", "playtest billing balance --jq .balanceCents"],
  view: balanceView,
});
