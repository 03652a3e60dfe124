import { define, type ItemOf, viewOf } from "../../cli/define.ts";

export const panels = define({
  name: "panels",
  summary: "List the tester groups that a playtest can be offered to",
  description:
    "The server's operator keeps the groups. Only the members of a group see a playtest that is ordered with --panel GROUP.",
  operation: "listPanels",
  list: true,
  examples: ["playtest playtests panels"],
  run: async ({ range }, ctx) =>
    ctx.list(
      "listPanels",
      {},
      range,
      viewOf<ItemOf<"listPanels">>(["name", "members"], { empty: "This server has no tester groups." }),
    ),
});
