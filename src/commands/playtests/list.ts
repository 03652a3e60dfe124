import { define, flag } from "../../cli/define.ts";
import { playtestsOfAllGames } from "../shared/every-game.ts";
import { allPlaytestsView, playtestsView } from "./view.ts";

export const list = define({
  name: "list",
  aliases: ["ls"],
  summary: "List the playtests of one game or of all games",
  description:
    "Lists the playtests of all games if no game is given and none is set for this directory. That list has no cursor: to read on, pass a higher --limit, or --all.",
  args: {
    game: {
      summary: "Game id or name (default: the game set with `games use`, else all games)",
      optional: true,
      id: { pick: "listGames" },
      setting: "gameId",
    },
  },
  flags: { allGames: flag.toggle("List the playtests of all games") },
  operation: ["listPlaytests", "listGames"],
  list: true,
  examples: [
    "playtest playtests list",
    "playtest playtests list --all-games --json=id,status,slots",
    "playtest playtests list GAME --all --csv",
  ],
  async run({ args, flags, range }, ctx) {
    const gameId = args.game as string | undefined;
    if (gameId !== undefined && !flags.allGames) return ctx.list("listPlaytests", { params: { gameId } }, range, playtestsView);
    return { kind: "list", pages: playtestsOfAllGames(ctx, range), view: allPlaytestsView };
  },
});
