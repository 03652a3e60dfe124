import { define } from "../../cli/define.ts";
import { historyView, hoursView } from "./view.ts";

const hours = define({
  name: "hours",
  summary: "Show the balance of playtest hours",
  operation: "getPlaytestHours",
  examples: ["playtest billing hours"],
  view: hoursView,
});

const hoursHistory = define({
  name: "hours history",
  summary: "List playtest hours added and spent, newest first",
  operation: "listPlaytestHoursHistory",
  list: true,
  examples: ["playtest billing hours history", "playtest billing hours history --all --csv"],
  view: historyView,
});

export const hoursCommands = [hours, hoursHistory];
