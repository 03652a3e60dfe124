import { define } from "../../cli/define.ts";
import { problemView } from "./view.ts";

export const problems = define({
  name: "problems",
  description:
    "An owner who does not answer in time is refunded, and the playtester is not paid. To answer in the owner's place, use `playtest review unblock`.",
  operation: "listProblems",
  list: true,
  examples: ["playtest admin problems", "playtest admin problems --all --jq '.problems[].slotId'"],
  view: problemView,
});
