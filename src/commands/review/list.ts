import { define } from "../../cli/define.ts";
import { queueView } from "./view.ts";

export const list = define({
  name: "list",
  aliases: ["ls", "queue"],
  summary: "List submissions of all your games, by default those waiting for review",
  operation: "listSubmissions",
  query: "listSubmissions",
  list: true,
  examples: [
    "playtest review list",
    "playtest review list --status accepted --all --csv",
    "playtest review list --jq '.submissions[].slot.id'",
  ],
  view: queueView,
});
