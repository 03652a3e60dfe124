import { define } from "../../cli/define.ts";
import { problemsView } from "./view.ts";

export const problems = define({
  name: "problems",
  summary: "List problems that playtesters reported and that wait for your answer",
  description:
    "While a problem waits, its slot is blocked and has no deadline. If you do not answer in time, the slot is cancelled and refunded.",
  operation: "listSubmissions",
  list: true,
  examples: ["playtest review problems", "playtest review problems --jq '.submissions[].blockedReport'"],
  run: async ({ range }, ctx) => ctx.list("listSubmissions", { query: { status: "blocked" } }, range, problemsView),
});
