import { arg, define } from "../../cli/define.ts";
import { applicationsView } from "./view.ts";

export const list = define({
  name: "list",
  aliases: ["ls"],
  summary: "List the applications to a playtest",
  args: { playtest: arg.playtest() },
  operation: "listApplications",
  list: true,
  examples: ["playtest applications list PLAYTEST", "playtest applications list PLAYTEST --json --jq '.counts.slotsRemaining'"],
  run: async ({ args, range }, ctx) => ctx.list("listApplications", { params: { id: args.playtest } }, range, applicationsView),
});
