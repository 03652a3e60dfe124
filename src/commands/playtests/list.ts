import type { Context, ListRange } from "../../cli/context.ts";
import { define, flag } from "../../cli/define.ts";
import { allPlaytestsView, playtestsView } from "./view.ts";

/** The playtests of all games, game by game, up to `limit` in total. */
async function* everyGame(ctx: Context, { limit = Number.POSITIVE_INFINITY }: ListRange) {
  let left = limit;
  for await (const { items: games } of ctx.pages("listGames", {}, { all: true })) {
    for (const game of games as { id: string; name: string }[]) {
      if (left <= 0) return;
      const range = Number.isFinite(left) ? { limit: left } : { all: true };
      for await (const page of ctx.pages("listPlaytests", { params: { gameId: game.id } }, range)) {
        const items = page.items.map((item) => ({ ...(item as object), gameName: game.name }));
        left -= items.length;
        yield { key: "playtests", items, data: { playtests: items }, meta: {} };
      }
    }
  }
}

export const list = define({
  name: "list",
  aliases: ["ls"],
  summary: "List the playtests of one game or of all games",
  description: "Lists the playtests of all games if no game is given and none is set for this directory.",
  args: {
    game: {
      summary: "Game id (default: the game set with `games use`, else all games)",
      optional: true,
      id: {},
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
    return { kind: "list", pages: everyGame(ctx, range), view: allPlaytestsView };
  },
});
