import { arg, define } from "../../cli/define.ts";
import { operatedPlaytestView } from "./view.ts";

const playtests = define({
  name: "playtests",
  operation: "listAllPlaytests",
  query: "listAllPlaytests",
  list: true,
  examples: ["playtest admin playtests --search lantern", "playtest admin playtests --id 0190a1b2-…"],
  view: operatedPlaytestView,
});

const playtestsShow = define({
  name: "playtests show",
  summary: "Show a playtest of any owner and its slots",
  operation: "getAnyPlaytest",
  args: { playtest: arg.id("Playtest id", "listAllPlaytests", "gameName") },
  examples: ["playtest admin playtests show 0190a1b2", "playtest admin playtests show 0190a1b2 --json --jq '.slots[].status'"],
  run: async ({ args }, ctx) => {
    const data = await ctx.api().getAnyPlaytest({ params: { id: args.playtest } });
    return { kind: "item", data, subject: data.playtest, view: operatedPlaytestView };
  },
});

export const playtestsCommands = [playtests, playtestsShow];
