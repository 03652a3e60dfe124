import type { ListRange } from "../../cli/context.ts";
import { arg, type Context, define } from "../../cli/define.ts";
import { usage } from "../../errors.ts";
import { lastPage, playtestsOfAllGames } from "../shared/every-game.ts";
import type { Application } from "./choose.ts";
import { allApplicationsView, applicationsView } from "./view.ts";

interface Playtest {
  id: string;
  gameName: string;
  selectionMode: string;
}

/** The applications to all playtests whose owner chooses the playtesters, up to `limit` in total. */
async function* toAllPlaytests(ctx: Context, { limit = Number.POSITIVE_INFINITY }: ListRange) {
  let left = limit;
  for await (const { items: playtests } of playtestsOfAllGames(ctx, {})) {
    for (const { id, gameName, selectionMode } of playtests as unknown as Playtest[]) {
      if (selectionMode !== "manual" || left <= 0) continue;
      const range = Number.isFinite(left) ? { limit: left } : { all: true };
      for await (const page of ctx.pages("listApplications", { params: { id } }, range)) {
        const items = (page.items as Application[]).map((item) => ({ ...item, playtestId: id, gameName }));
        left -= items.length;
        yield { key: "applications", items, data: { applications: items }, meta: {} };
      }
    }
  }
  yield lastPage("applications");
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
    if (range.cursor !== undefined) throw usage("--cursor requires a playtest, because each playtest has its own pages.");
    return { kind: "list", pages: toAllPlaytests(ctx, range), view: allApplicationsView };
  },
});
