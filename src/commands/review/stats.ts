import { define } from "../../cli/define.ts";
import { statsView } from "./view.ts";

export const stats = define({
  name: "stats",
  summary: "Show the number of games, active playtests and waiting reviews",
  operation: "getDashboardStats",
  examples: ["playtest review stats", "playtest review stats --jq .pendingReviews"],
  view: statsView,
});
