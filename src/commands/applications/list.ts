import { arg, type Context, define } from "../../cli/define.ts";
import { joined, playtestsOfAllGames, type Source } from "../shared/every-game.ts";
import { allApplicationsView, applicationsView } from "./view.ts";

interface Playtest {
  id: string;
  gameName: string;
  selectionMode: string;
}

/** The applications to all playtests whose owner chooses the playtesters, playtest by playtest. */
async function* manualPlaytests(ctx: Context): AsyncIterable<Source> {
  for await (const { items } of playtestsOfAllGames(ctx, {}))
    for (const { id, gameName, selectionMode } of items as unknown as Playtest[])
      if (selectionMode === "manual")
        yield {
          pages: (range) => ctx.pages("listApplications", { params: { id } }, range),
          also: { playtestId: id, gameName },
        };
}

export const list = define({
  name: "list",
  aliases: ["ls"],
  summary: "List the applications to one playtest or to all playtests",
  args: {
    playtest: {
      ...arg.playtest(),
      optional: true,
      summary: "Playtest id, or the name of a game that has only one (default: all playtests)",
      id: { ofGame: true },
    },
  },
  operation: ["listApplications", "listGames", "listPlaytests"],
  list: true,
  examples: [
    "playtest applications list",
    "playtest applications list PLAYTEST --json --jq '.counts.slotsRemaining'",
    "playtest applications list --jq '.applications[] | select(.status == \"pending\").id'",
  ],
  async run({ args, range }, ctx) {
    const id = args.playtest as string | undefined;
    if (id !== undefined) return ctx.list("listApplications", { params: { id } }, range, applicationsView);
    return { kind: "list", pages: joined("applications", range, manualPlaytests(ctx)), view: allApplicationsView };
  },
});
