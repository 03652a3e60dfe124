import { define, type ItemOf, viewOf } from "../../cli/define.ts";

export const panels = define({
  name: "panels",
  description:
    "The server's operator keeps the groups. Only the members of a group see a playtest that is ordered with --panel GROUP.",
  operation: "listPanels",
  list: true,
  examples: ["playtest playtests panels"],
  view: viewOf<ItemOf<"listPanels">>(["name", "members"], { empty: "This server has no tester groups." }),
});
