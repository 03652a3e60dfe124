import { define } from "../../cli/define.ts";
import { applicationView } from "./view.ts";

export const applications = define({
  name: "applications",
  operation: "listOwnApplications",
  list: true,
  examples: ["playtest tester applications"],
  view: applicationView,
});
