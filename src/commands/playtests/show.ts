import { arg, define } from "../../cli/define.ts";
import { playtestView } from "./view.ts";

export const show = define({
  name: "show",
  summary: "Show a playtest with its slot counts",
  args: { playtest: arg.playtest() },
  operation: "getPlaytest",
  examples: ["playtest playtests show PLAYTEST", "playtest playtests show --json=slots PLAYTEST"],
  view: playtestView,
});
