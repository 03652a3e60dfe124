import { define } from "../../cli/define.ts";
import { problemView } from "./view.ts";

export const problems = define({
  name: "problems",
  summary: "List reported problems that wait for an answer, of all owners",
  description:
    "An owner who does not answer in time is refunded, and the playtester is not paid. To answer in the owner's place, use `playtest review unblock`.",
  operation: "listProblems",
  list: true,
  examples: ["playtest admin problems", "playtest admin problems --all --jq '.problems[].slotId'"],
  run: async ({ range }, ctx) => ctx.list("listProblems", {}, range, problemView),
});
