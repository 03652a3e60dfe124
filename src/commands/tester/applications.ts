import { define } from "../../cli/define.ts";
import { applicationView } from "./view.ts";

export const applications = define({
  name: "applications",
  summary: "List your applications",
  operation: "listOwnApplications",
  list: true,
  examples: ["playtest tester applications"],
  run: async ({ range }, ctx) => ctx.list("listOwnApplications", {}, range, applicationView),
});
