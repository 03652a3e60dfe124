import { define, type ItemOf, viewOf } from "../../cli/define.ts";

const view = viewOf<ItemOf<"createTesters">>(["id", "name:displayName", "api key:apiKey"]);

export const testersCreate = define({
  name: "testers create",
  summary: "Create simulated playtesters and print their API keys",
  description: "With its key in PLAYTEST_API_KEY, a playtester can use `playtest tester`.",
  operation: "createTesters",
  body: "createTesters",
  examples: ["playtest sandbox testers create --count 3", "playtest sandbox testers create --jq '.result[0].apiKey'"],
  rows: "testers",
  view,
});
