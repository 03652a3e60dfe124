import { arg, define } from "../../cli/define.ts";
import { applicationView } from "./view.ts";

export const withdraw = define({
  name: "withdraw",
  summary: "Withdraw a pending application; you cannot apply to that playtest again",
  operation: "withdrawApplication",
  args: { application: arg.id("Application id, or the name of its game", "listOwnApplications", "gameName") },
  examples: ["playtest tester withdraw 5b7702ae"],
  view: applicationView,
});
